import Testing

@testable import LatticeCoordinator

struct OutputTailTests {
    private func lines(_ lines: [String]) -> [String] {
        let tail = OutputTail()
        for line in lines { Array(line.utf8).withUnsafeBytes { tail.add($0) } }
        return tail.lines
    }

    private let noise = (1...100).map { "line \($0)" }

    @Test("The last lines of output and the beginning of long lines are kept")
    func last() {
        #expect(lines([]) == [])
        #expect(lines(Array(noise.prefix(3))) == ["line 1", "line 2", "line 3"])
        #expect(lines(noise) == Array(noise.suffix(32)))
        #expect(lines([String(repeating: "x", count: 5000)]).map(\.utf8.count) == [1024])
    }

    @Test("The message of a trap is reported, however long its backtrace is")
    func trap() {
        let message = "Uploads/Upload.swift:7: Fatal error: told to trap"
        let banner = "💣 Program crashed: Illegal instruction at 0x1"
        #expect(lines(noise + [message, "", banner] + noise) == [message, "", banner] + noise.prefix(29))
        #expect(lines(noise + [banner] + noise) == [banner] + noise.prefix(31))
        // An earlier message did not end the process.
        #expect(lines(["Fatal error: no", "a", message, "b"]) == [message, "b"])
        #expect(lines(["Fatal error: no"] + noise + [banner, "b"]) == [banner, "b"])
        let much = (1...1001).map { "line \($0)" }
        #expect(lines([message] + much.dropLast()).first == message)
        // Swift's runtime repeats this line for each thread that it cannot suspend.
        let complaint = "swift-runtime: failed to suspend thread 7 while processing a crash; backtraces will be missing"
        let complaints = Array(repeating: complaint, count: 50)
        #expect(lines([message] + complaints + ["", banner, "c"]) == [message, "", banner, "c"])
        #expect(lines(complaints + ["a"]) == complaints.prefix(31) + ["a"])
        #expect(lines([message] + much) == Array(much.suffix(32)))
    }
}
