import LatticeCore
import Testing

/// The code and the whole message of each error that this module makes. Other tests check the codes only.
@Suite struct QuestionErrorTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: QuestionError
        let code: QuestionError.Code
        let testDescription: String

        init(_ error: QuestionError, _ code: QuestionError.Code, _ message: String) {
            self.error = error
            self.code = code
            testDescription = message
        }
    }

    static let rows: [Row] = [
        Row(
            .deadlinePassed(of: "words"),
            .deadlinePassed,
            "\"words\" did not answer the question by its deadline. Ask for less, or allow more time."
        ),
        Row(.notServed("words", "it is closed"), .notServed, "\"words\" cannot answer the question: it is closed"),
        Row(
            .notReached("words"),
            .notServed,
            """
            "words" cannot answer the question: its view model neither runs it nor is connected to a process that does
            """
        ),
    ]

    @Test("Each error has its code, and a message that says what to do", arguments: rows)
    func message(_ row: Row) {
        #expect(row.error.code == row.code)
        #expect(row.error.message == row.testDescription)
        #expect("\(row.error)" == "\(row.testDescription) [\(row.code)]")
    }

    @Test func theDescriptionNamesTheCause() {
        let error = QuestionError(.uncodable, "It cannot be read.", cause: EffectFailure(type: "A", message: "b"))
        #expect("\(error)" == "It cannot be read. [uncodable] (cause: A: b)")
    }
}
