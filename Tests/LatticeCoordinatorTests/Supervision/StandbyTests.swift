import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import Testing

@testable import LatticeCoordinator

/// Workers that are there before they are needed, and are no processes.
@Suite(.timeLimit(.minutes(10)))
struct StandbyTests {
    private typealias Bench = WorkerSupervisorTests.Bench

    private func withSupervisor(
        _ script: [ScriptedLauncher.Word],
        _ change: (inout CoordinatorConfiguration) -> Void = { _ in },
        _ body: (Bench) async throws -> Void
    ) async throws {
        try await WorkerSupervisorTests().withSupervisor(
            script,
            {
                $0.standby = true
                change(&$0)
            },
            body
        )
    }

    @Test("The standby worker serves the next incarnation, and another standby follows it")
    func standby() async throws {
        try await withSupervisor([.serves]) { bench in
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            for incarnation in 1...5 as ClosedRange<UInt64> {
                try await bench.launcher.starts.until { $0 == Array(1...(incarnation + 1)) }
                bench.launcher.kill()
                try await bench.until("serving, incarnation \(incarnation + 1), process \(101 + incarnation)")
                #expect(await bench.channel.send(.add(Int(incarnation) + 1)).finish() == .finished)
            }
            #expect(bench.recorder.record.value.states.last?.entries == [1, 2, 3, 4, 5, 6])
            #expect(!bench.heard.contains { $0.hasPrefix("failed") })
        }
    }

    @Test(
        "A standby worker that ends counts against no budget, and is followed by another",
        arguments: zip(
            [.ends(.exit(code: 3)), .fails, .isStranger] as [ScriptedLauncher.Word],
            ["ended: exited with code 3", "cannot be started: ", "ended: "]
        )
    )
    func endsBeforeItIsNeeded(word: ScriptedLauncher.Word, reason: String) async throws {
        try await withSupervisor([.serves, word, word, .serves]) {
            $0.restart.maximumDelay = .milliseconds(1)
            $0.restart.intensity.restarts = 1
            $0.restart.maximumFailedStarts = 0
        } _: { bench in
            try await bench.launcher.starts.until { $0 == [1, 2, 2, 2] }
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            bench.launcher.kill()
            try await bench.until("serving, incarnation 2, process 102")
            #expect(await bench.channel.send(.add(2)).finish() == .finished)
            let lines = bench.log.lines.filter { $0.hasPrefix("The standby worker \(reason)") }
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasSuffix(" The next one starts in 0.001 seconds.") })
        }
    }

    @Test("A restart waits for a standby worker that is still starting")
    func isSlow() async throws {
        try await withSupervisor([.serves, .isSilent, .serves]) {
            $0.restart.bootTimeout = .milliseconds(200)
        } _: { bench in
            try await bench.launcher.starts.until { $0 == [1, 2] }
            bench.launcher.kill()
            // It never says hello: that ends it, as a start that failed or, if it is earlier, as a standby.
            #expect(await bench.channel.send(.add(1)).finish() == .finished)
            try await bench.until("serving, incarnation ")
        }
    }

    @Test("No standby worker is left after the worker is stopped or given up, or its supervisor ends")
    func dismissed() async throws {
        try await withSupervisor([.serves]) {
            $0.restart.kind = .temporary
        } _: { bench in
            try await bench.launcher.starts.until { $0 == [1, 2] }
            bench.launcher.kill()
            try await bench.until("failed (signal): the worker ended")
            try await bench.launcher.untilNoneRuns()
            await bench.supervisor.reset()
            try await bench.until("serving, incarnation 2")
            try await bench.launcher.starts.until { $0 == [1, 2, 2, 3] }
            await bench.supervisor.stop(within: .seconds(60))
            try await bench.launcher.untilNoneRuns()
            try await bench.hasEnded.until { $0 }
        }
    }
}
