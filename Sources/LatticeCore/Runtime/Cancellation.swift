/// The cancellation of an event: its canceller, its reason, and how far the event had come.
///
/// It is the value of ``EventOutcome/cancelled(_:)``:
///
/// ```swift
/// if let cancellation = await task.finish().cancellation, cancellation.stage == .beforeStart {
///     print("nothing was changed, cancelled \(cancellation)")
/// }
/// ```
///
/// An event that has ended before the cancellation reaches it keeps its outcome, which is then not
/// ``EventOutcome/cancelled(_:)``.
public struct Cancellation: Error, Sendable, Hashable {
    /// How far an event had come when it was cancelled.
    public enum Stage: Sendable, Hashable {
        /// The event was not applied. It changed no state and started no effects.
        case beforeStart
        /// The event was applied. At least one of its effects was cancelled, or was still to start.
        case whileRunning
        /// It is not known whether the event was applied, because nothing waits for the answer of the process that
        /// would know it. An event whose worker hangs ends like this soon after its deadline.
        case unknown
    }

    /// What cancelled an event.
    public enum Canceller: Sendable, Hashable {
        /// The sender of the event: through its ``EventTask``, or by cancelling a task that waits for the event.
        case sender
        /// The feature: with ``Emission/cancel(id:)``, or an effect ended by itself with `CancellationError`.
        case feature
        /// The deadline of the event has passed.
        case deadline
        /// The view model, the instance, the channel or the worker of the event was closed.
        case closed
        /// An operator's tool. The text describes the process and its user.
        case tool(String)
        /// The process that cancelled the event did not say who wanted it, or only a later version knows it.
        case unknown
    }

    /// The maximum length of a reason, in bytes of UTF-8. A longer reason is shortened.
    public static let maximumReasonBytes = 256

    /// What cancelled the event.
    public let canceller: Canceller
    /// How far the event had come.
    public let stage: Stage
    /// The reason in words, or an empty text if none was given.
    public let reason: String

    /// Creates a cancellation.
    /// - Parameters:
    ///   - canceller: What cancels the event.
    ///   - stage: How far the event has come.
    ///   - reason: The reason in words. It is shortened to ``maximumReasonBytes``.
    public init(by canceller: Canceller, stage: Stage = .unknown, reason: String = "") {
        self.canceller = canceller
        self.stage = stage
        self.reason = Self.shortened(reason)
    }

    /// Returns the cancellation of an event that had come so far.
    package func at(_ stage: Stage) -> Self { Cancellation(by: canceller, stage: stage, reason: reason) }

    private static func shortened(_ reason: String) -> String {
        guard reason.utf8.count > maximumReasonBytes else { return reason }
        var (bytes, end) = (0, reason.startIndex)
        for index in reason.unicodeScalars.indices {
            bytes += UTF8.width(reason.unicodeScalars[index])
            guard bytes <= maximumReasonBytes else { break }
            end = reason.unicodeScalars.index(after: index)
        }
        return String(reason[..<end])
    }
}

extension Cancellation: CustomStringConvertible {
    /// A text for people that follows the word "cancelled", such as "by its sender while it ran: too slow". It is empty
    /// if nothing is known.
    public var description: String {
        let by: String? =
            switch canceller {
            case .sender: "by its sender"
            case .feature: "by its feature"
            case .deadline: "by its deadline"
            case .closed: "with its instance, channel or worker"
            case .tool(let name): "by \(name)"
            case .unknown: nil
            }
        let when: String? =
            switch stage {
            case .beforeStart: "before it started"
            case .whileRunning: "while it ran"
            case .unknown: nil
            }
        let text = [by, when].compactMap(\.self).joined(separator: " ")
        if reason.isEmpty { return text }
        return text.isEmpty ? reason : "\(text): \(reason)"
    }
}
