import LatticeCoding
public import LatticeWire

/// A view state of a feature, without its Swift types.
public struct FeatureState: Sendable, Equatable {
    /// The number of the state. It is strictly increasing for an instance.
    public let revision: UInt64
    /// The state.
    public let value: DescriptionValue
    /// The events that the state contains and the one before it does not. Nil if they are not known: the feature was
    /// opened without them, or this process may not look into the coordinator.
    public let causes: StateCauses?

    /// Creates a state.
    public init(revision: UInt64, value: DescriptionValue, causes: StateCauses? = nil) {
        self.revision = revision
        self.value = value
        self.causes = causes
    }

    /// - Throws: ``ControlError`` if the bytes are no value.
    init(revision: UInt64, decoding bytes: [UInt8], causes: StateCauses? = nil) throws {
        self.revision = revision
        self.causes = causes
        do {
            value = try bytes.withBytes { bytes throws(CBORError) in
                var reader = CBORReader(bytes)
                let value = try DescriptionValue(reading: &reader)
                try reader.finish()
                return value
            }
        } catch {
            throw ControlError.unreadable(error)
        }
    }

    /// Returns what differs from an earlier state, with one line for each place, such as `todos[3].title: "a" → "b"`.
    ///
    /// - Parameters:
    ///   - earlier: The earlier state.
    ///   - path: The path of the part to compare.
    ///   - maximumLines: The maximum number of lines. What is left out is counted in one more line.
    /// - Complexity: O(*n*), where *n* is the size of both states.
    public func changes(
        since earlier: FeatureState,
        at path: ValuePath = ValuePath(),
        maximumLines: Int = 20
    ) -> [String] {
        ValueDifference.lines(from: path.value(in: earlier.value), to: path.value(in: value), at: path, maximumLines)
    }
}

/// How an event ended that was sent without the Swift types of its feature.
public struct EventResult: Sendable, Equatable {
    /// The kind of an ``EventResult``. Later versions may add kinds.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, such as "finished".
        public let description: String

        /// The event was applied, and all its effects have ended.
        public static let finished = Kind(description: "finished")
        /// An effect threw an error, the interactor did not return, or the state could not be sent.
        public static let failed = Kind(description: "failed")
        /// The event was cancelled, or at least one of its effects was.
        public static let cancelled = Kind(description: "cancelled")
        /// The event was never applied.
        public static let rejected = Kind(description: "rejected")
        /// The event was applied, and its worker ended before its effects did.
        public static let interrupted = Kind(description: "interrupted")
        /// No process is left that knows whether the event was applied.
        public static let unknown = Kind(description: "unknown")
    }

    /// How the event ended.
    public let kind: Kind
    /// The reason in words. It is empty for an event that has finished. For a cancelled event it says who cancelled it
    /// and how far the event had come, as far as that is known.
    public let reason: String

    init(_ outcome: WireOutcome) {
        (kind, reason) =
            switch outcome {
            case .finished: (.finished, "")
            case .failed(let type, let message): (.failed, message.isEmpty ? type : message)
            case .cancelled(let cancellation): (.cancelled, Self.sentence(cancellation))
            case .rejected(_, let reason, _): (.rejected, reason)
            case .interrupted(let cause, let incarnation): (.interrupted, Self.sentence(cause, incarnation))
            case .unknown(let reason): (.unknown, reason)
            case .other(let number, let sentence): (Kind(description: "outcome \(number)"), sentence)
            }
    }

    private static func sentence(_ cancellation: WireCancellation) -> String {
        let by: String? =
            switch cancellation.canceller {
            case .sender: "by its sender"
            case .feature: "by its feature"
            case .deadline: "by its deadline"
            case .closed: "with its instance, channel or worker"
            case .tool(let name): "by \(name)"
            case .unknown: nil
            case .other(_, let sentence): sentence.isEmpty ? nil : sentence
            }
        let when: String? =
            switch cancellation.stage {
            case .beforeStart: "before it started"
            case .whileRunning: "while it ran"
            case .unknown: nil
            }
        let text = [by, when].compactMap(\.self).joined(separator: " ")
        return [text, cancellation.reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    private static func sentence(_ cause: WireCause, _ incarnation: UInt64) -> String {
        let end =
            switch cause {
            case .exit(let code): "exited with code \(code)"
            case .signal(let number): "was killed by signal \(number)"
            case .hang: "stopped answering"
            case .limit(let name): "passed its limit: \(name)"
            case .disconnected: "was disconnected"
            case .lackOfResources(let reason): "could not be started: \(reason)"
            case .group(let name): "ended with its group \"\(name)\""
            case .statusLost(let reason): "ended, and its exit status was lost: \(reason)"
            case .requested(let requester): "ended, because \(requester) asked for it"
            case .other(let number, let sentence): sentence.isEmpty ? "ended by cause \(number)" : sentence
            }
        return "The worker \(end) (incarnation \(incarnation))."
    }
}
