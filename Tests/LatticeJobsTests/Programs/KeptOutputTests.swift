import Testing

@testable import LatticeJobs

@Suite struct KeptOutputTests {
    @Test(
        "An output keeps its first or its last bytes, and counts the rest",
        arguments: [
            (maximum: 4, keepsEnd: false, pieces: ["ab", "cd"], kept: "abcd", omitted: 0),
            (4, false, ["abc", "def", "g"], "abcd", 3), (0, false, ["abc"], "", 3), (4, false, [], "", 0),
            (4, true, ["ab", "cd"], "abcd", 0), (4, true, ["abc", "def", "g"], "defg", 3),
            (4, true, ["abcdefghijklmnop"], "mnop", 12), (4, true, ["abcd", "efgh", "ijk"], "hijk", 7),
        ]
    )
    func keeps(maximum: Int, keepsEnd: Bool, pieces: [String], kept: String, omitted: Int) {
        var output = KeptOutput(maximum: maximum, keepsEnd: keepsEnd)
        for piece in pieces { Array(piece.utf8).withUnsafeBytes { output.add($0) } }
        #expect(String(decoding: output.bytes, as: UTF8.self) == kept)
        #expect(output.omitted == omitted)
    }

    @Test("The message of a program's error says how it ended, and has the last line that it wrote")
    func messages() {
        let silent = ProgramOutputs(maximumOutputBytes: 3)
        var lines = silent
        Array("first\nno paper\n".utf8).withUnsafeBytes { lines.error.add($0) }
        Array("12345".utf8).withUnsafeBytes { lines.output.add($0) }
        let error = ProgramError.exited("lp", 3, lines)
        #expect(error.outputText == "123" && error.omittedOutputBytes == 2 && error.errorText == "first\nno paper\n")
        #expect("\(error)" == "lp exited with code 3. Its last line is: no paper")
        #expect("\(ProgramError.exited("lp", 3, silent))" == "lp exited with code 3.")
        #expect("\(ProgramError.signaled("lp", 9, silent))" == "lp was killed by signal 9 (SIGKILL).")
        #expect(
            "\(ProgramError.notFound("lp"))"
                == "There is no program \"lp\" in PATH. Install it, or give its path."
        )
        let lost = ProgramError.statusLost("lp", "it was taken", silent)
        #expect("\(lost)" == "How lp ended is not known: it was taken.")
    }
}
