/// Why a question to a feature has no answer, where that is not the feature's own error.
public struct QuestionError: Error, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// There was no answer by the deadline.
        public static let deadlinePassed = Code(rawValue: "deadlinePassed")
        /// Two lives of the worker have ended while they answered it.
        public static let interrupted = Code(rawValue: "interrupted")
        /// Nobody serves the feature, or nobody ever will.
        public static let notServed = Code(rawValue: "notServed")
        /// The question or the answer cannot be encoded or read.
        public static let uncodable = Code(rawValue: "uncodable")
        /// The question or the answer is larger than what is sent.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Too many questions are under way; wait for some of them to end.
        public static let overloaded = Code(rawValue: "overloaded")

        public var description: String { rawValue }
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// What lies beneath, if anything.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { "\(message) [\(code)]\(cause.map { " (cause: \($0))" } ?? "")" }

    package static func deadlinePassed(of feature: String) -> QuestionError {
        QuestionError(
            .deadlinePassed,
            "\"\(feature)\" had no answer to the question by its deadline; ask for less, or give it longer"
        )
    }

    package static func notServed(_ feature: String, _ reason: String) -> QuestionError {
        QuestionError(.notServed, "\"\(feature)\" answers no question: \(reason)")
    }
}
