import LatticeCalls
import LatticeCore
import LatticeHosting
import LatticeTestSupport
import LatticeWire
import Testing

/// The code and the whole message of each error that a reply to a question becomes.
@Suite struct QuestionReplyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let outcome: CallOutcome
        let code: QuestionError.Code
        let testDescription: String

        init(_ replyCode: ReplyCode, reason: String?, _ code: QuestionError.Code, _ message: String) {
            outcome = replyCode == .returned ? .returned(nil) : .failure(replyCode, reason)
            self.code = code
            testDescription = message
        }
    }

    static let rows: [Row] = [
        Row(
            .interrupted,
            reason: "It ended twice.",
            .interrupted,
            "\"unruly\" did not answer the question: It ended twice."
        ),
        Row(
            .undecodable,
            reason: "It is damaged.",
            .uncodable,
            "\"unruly\" did not answer the question: It is damaged."
        ),
        Row(
            .unencodable,
            reason: "It is damaged.",
            .uncodable,
            "\"unruly\" did not answer the question: It is damaged."
        ),
        Row(.tooLarge, reason: "Ask for less.", .tooLarge, "\"unruly\" did not answer the question: Ask for less."),
        Row(.overloaded, reason: "Wait.", .overloaded, "\"unruly\" did not answer the question: Wait."),
        Row(.refused, reason: nil, .notServed, "\"unruly\" did not answer the question: No reason was given."),
        Row(.lost, reason: "It ended.", .notServed, "\"unruly\" did not answer the question: It ended."),
        Row(.deadline, reason: "It is late.", .deadlinePassed, QuestionError.deadlinePassed(of: "unruly").message),
        Row(
            .returned,
            reason: nil,
            .uncodable,
            "The answer of \"unruly\" cannot be decoded. Build both programs from the same source."
        ),
    ]

    @Test("Each reply without an answer becomes an error with its code and a message", arguments: rows)
    func error(_ row: Row) async {
        let error = await #expect(throws: QuestionError.self) {
            _ = try await FeatureAnswering.ask(UnrulyFeature.Question.sum, of: UnrulyFeature.self) { _ in row.outcome }
        }
        #expect(error?.code == row.code)
        #expect(error?.message == row.testDescription)
    }

    @Test func aCancelledQuestionThrowsCancellationError() async {
        await #expect(throws: CancellationError.self) {
            _ = try await FeatureAnswering.ask(UnrulyFeature.Question.sum, of: UnrulyFeature.self) { _ in
                .failure(.cancelled)
            }
        }
    }
}
