import Testing

/// `latticectl chaos`, with real processes.
@Suite(.timeLimit(.minutes(10))) struct ChaosTests {
    @Test("Chaos rounds keep every guarantee, report what happened, and are counted")
    func rounds() async throws {
        let arguments = [
            "--seed", "7", "--rounds", "2", "--events", "200", "--faults-per-round", "20", "--calls", "800",
            "--jobs", "60",
        ]
        let run = try await Programs.run(Programs.path("latticectl"), ["chaos"] + arguments, takesErrors: true)
        #expect(run.status == 0, "\(run.output)")
        let lines = run.output.split(separator: "\n")
        // All calls are made and all jobs are run in the first round.
        try #require(lines.count == 5)
        #expect(
            lines[0].wholeMatch(
                of: /round 1, seed 7: [1-9]\d* faults of workers, [1-9]\d* of clients; events: .*\d+ finished.*/
            ) != nil
        )
        #expect(
            lines[1].wholeMatch(
                of: #/  calls of round 1: \d+ faults of workers, \d+ of clients; calls: .*\d+ returned.*\d+ threw/#
            ) != nil
        )
        #expect(
            lines[2].wholeMatch(
                of: #/  jobs of round 1: \d+ faults of workers, 1 of clients; jobs: .*\d+ returned.*/#
            ) != nil
        )
        #expect(lines[3].hasPrefix("round 2, seed "))
        // 40 of each of the four that are not killed, and the last one of each log; 800 calls, and those at the end.
        #expect(
            lines[4].wholeMatch(
                of:
                    /all guarantees held in 2 rounds, with 326 events, 998 calls of actors, 60 jobs, [1-9]\d* faults of workers and [1-9]\d* of clients/
            ) != nil
        )
    }

    @Test(
        "Wrong use of the command exits with code 64 and says what is right",
        arguments: [
            (["--minutes", "nan"], "--minutes has to be a number from 0 on."),
            (["--rounds", "0"], "--rounds has to be 1 or more."),
            (["--events", "4"], "--events has to be 5 to 10000."),
            (["--calls", "10000001"], "--calls has to be 0 to 10000000."),
            (["--jobs", "1000001"], "--jobs has to be 0 to 1000000."),
            (["--faults-per-round", "10001"], "--faults-per-round has to be 0 to 10000."),
        ]
    )
    func wrongUse(arguments: [String], sentence: String) async throws {
        let run = try await Programs.run(Programs.path("latticectl"), ["chaos"] + arguments, takesErrors: true)
        #expect(run.status == 64)
        #expect(run.output.contains(sentence))
    }
}
