import Foundation
import LatticeActors
import Testing

@testable import LatticeChaos

/// Tests the content of calls, the classification of their ends, and their logs.
@Suite struct CallRecordTests {
    private static let question = ChaosCall.call(3).question

    @Test("Each error of a call is recorded as one end")
    func ends() {
        struct Other: Error, CustomStringConvertible { let description = "another one" }
        let other = ChaosCall.call(4).question.answer
        let ends = [
            (CancellationError() as any Error, CallRecord.End.cancelled),
            (ChaosCallFailure.asked(Self.question.answer), .failed(isRight: true)),
            (ChaosCallFailure.asked(other), .failed(isRight: false)),
            (ChaosCallFailure.unconfirmed("lost"), .unconfirmed("lost")),
            (Other(), .other("another one")),
        ]
        for (error, end) in ends { #expect(CallRecord.End(error, of: Self.question) == end) }
    }

    @Test("Each call has a different answer, and a text that differs in one place has another answer")
    func answers() {
        let questions = (0..<200).map { ChaosCall.call($0).question }
        #expect(Set(questions.map(\.answer.digest)).count == 200)
        let long = ChaosQuestion(call: .one(1), text: ChaosText.words(of: "1", letters: 100), answerLetters: 50)
        var swapped = Array(long.text)
        swapped.swapAt(2, 20)
        let changed = ChaosQuestion(call: .one(1), text: String(swapped), answerLetters: 50)
        #expect(long.answer != changed.answer && long.answer.text.utf8.count >= 50)
    }

    @Test("A call is written to the log when it begins, and is there after its writer is gone")
    func log() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let calls = [3, 1, 2].map(ChaosCall.Identifier.one)
        let log = try CallLog(in: folder.path)
        for call in calls { log.note(call) }
        _ = try CallLog(in: folder.path)
        let logs = try CallLog.takeAll(in: folder.path)
        #expect(logs.count == 2 && logs.contains(calls) && logs.contains([]))
        #expect(FileText.names(in: folder.path).isEmpty)
        withExtendedLifetime(log) {}
    }

    @Test(
        "A log line that names no call is an error that names the log",
        arguments: ["", "1.2", "1.2.", "1.2.3.4", "1.2.x"]
    )
    func logLines(line: String) throws {
        guard !line.isEmpty else {
            return #expect(
                try CallLog.entries(in: "1.2.3\n1.0.0\n", "calls-7").map(\.description) == ["1.2.3", "1.0.0"]
            )
        }
        let error = #expect(throws: ChaosError.self) { try CallLog.entries(in: "1.2.3\n\(line)\n", "calls-7") }
        #expect(error?.description == "the log \"calls-7\" has the line \"\(line)\", which names nothing of this round")
    }

    @Test("A worker that cannot write its log does not serve")
    func noFolder() {
        let error = #expect(throws: ChaosError.self) { try CallLog(in: "/proc/none") }
        #expect(error?.description.hasSuffix("No such file or directory") == true)
    }
}
