/// An error that explains why a question has no answer, other than the feature's own error.
public struct QuestionError: Error, Sendable, CustomStringConvertible {
    /// The kind of a ``QuestionError``. Later versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, such as "interrupted".
        public let description: String

        /// No answer arrived by the deadline.
        public static let deadlinePassed = Code(description: "deadlinePassed")
        /// The worker terminated while it answered, and so did the next worker.
        public static let interrupted = Code(description: "interrupted")
        /// The feature is not served, now or permanently.
        public static let notServed = Code(description: "notServed")
        /// The question or the answer could not be encoded or decoded.
        public static let uncodable = Code(description: "uncodable")
        /// The question or the answer exceeds the maximum size of a message.
        public static let tooLarge = Code(description: "tooLarge")
        /// Too many questions are in progress. Wait until some of them have ended.
        public static let overloaded = Code(description: "overloaded")
    }

    /// The kind of error.
    public let code: Code
    /// A message that says what happened and what to do.
    public let message: String
    /// The underlying error, if there is one.
    public let cause: (any Error)?

    /// Creates an error.
    package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, the code in brackets, and the underlying error if there is one.
    public var description: String { "\(message) [\(code)]\(cause.map { " (cause: \($0))" } ?? "")" }

    /// Returns an error for a question without an answer by its deadline.
    package static func deadlinePassed(of feature: String) -> QuestionError {
        QuestionError(
            .deadlinePassed,
            "\"\(feature)\" did not answer the question by its deadline. Ask for less, or allow more time."
        )
    }

    /// Returns an error for a question that no feature answers.
    package static func notServed(_ feature: String, _ reason: String) -> QuestionError {
        QuestionError(.notServed, "\"\(feature)\" cannot answer the question: \(reason)")
    }

    /// Returns an error for a question to a view model that has no connection to the feature.
    package static func notReached(_ feature: String) -> QuestionError {
        notServed(feature, "its view model neither runs it nor is connected to a process that does")
    }
}
