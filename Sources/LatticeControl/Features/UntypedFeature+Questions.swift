import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeSession
public import LatticeWire

/// Questions to features without their Swift types.
extension UntypedFeature {
    /// Asks the feature a question, and waits for the answer. Open the feature with `asksQuestions`.
    ///
    /// The question is encoded by its shape, as an action is that you send with
    /// ``send(_:deadline:waitingAtMost:)``. The worker answers from its domain state. The question changes nothing.
    ///
    /// ```swift
    /// let result = try await words.ask(.text("swift"), within: .seconds(5))
    /// ```
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - limit: The time within which the answer must come. After it the question is cancelled.
    /// - Returns: The answer, the error that the feature has thrown, or the reason why there is no answer.
    /// - Throws: ``ControlError`` if the feature is not open, was not opened to ask, or ends. `CancellationError` if
    ///   the calling task is cancelled.
    public func ask(_ question: DescriptionValue, within limit: Duration) async throws -> QuestionResult {
        let channel = try askedChannel
        var writer = CBORWriter()
        question.encode(into: &writer)
        let context = CallContext(deadline: MonotonicDeadline(in: limit))
        let outcome = await node.ask(writer.bytes, on: channel.number, context)
        try Task.checkCancellation()
        switch outcome {
        case .returned(let value): return try QuestionResult(.answered, decoding: value ?? [])
        case .threw(_, let value): return try QuestionResult(.threw, decoding: value ?? [])
        case .failed(let failure):
            // If the coordinator has ended, this throws the reason.
            _ = try askedChannel
            let reason = failure.reason ?? "the question ended: \(failure.code.word)"
            return QuestionResult(.unanswered, value: .null, reason: reason)
        }
    }
}

/// The result of a question that was asked without the Swift types of its feature.
public struct QuestionResult: Sendable, Equatable {
    /// The kind of a ``QuestionResult``. Later versions may add kinds.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, such as "answered".
        public let description: String

        /// The feature has answered.
        public static let answered = Kind(description: "answered")
        /// The feature has thrown an error of its own.
        public static let threw = Kind(description: "threw")
        /// There is no answer: the feature answers no questions, the question does not fit, or no worker has answered.
        public static let unanswered = Kind(description: "unanswered")
    }

    /// The kind.
    public let kind: Kind
    /// The answer or the error, and null if there is none.
    public let value: DescriptionValue
    /// The reason why there is no answer, for people. Otherwise it is empty.
    public let reason: String

    init(_ kind: Kind, value: DescriptionValue, reason: String = "") {
        (self.kind, self.value, self.reason) = (kind, value, reason)
    }

    /// - Throws: ``ControlError`` if the bytes are no value.
    fileprivate init(_ kind: Kind, decoding bytes: [UInt8]) throws {
        self.init(kind, value: try FeatureState(revision: 0, decoding: bytes).value)
    }
}
