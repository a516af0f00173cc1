/// The reason why an event was never applied. Two rejections are equal if their codes are equal.
public struct EventRejection: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of rejection, as a number that is part of the wire format.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The number on the wire, a `RejectionCode`. Never change a number, and never use a number again. A number
        /// that only a later version knows is preserved.
        package let rawValue: UInt8

        /// Creates a code from its number on the wire.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A queue between the sender and the interactor was full.
        public static let overloaded = Code(rawValue: 1)
        /// The event ended two workers: each crashed, hung or exceeded a limit while it handled the event.
        public static let quarantined = Code(rawValue: 2)
        /// The bytes are not an encoded action of this feature.
        public static let undecodable = Code(rawValue: 3)
        /// The feature is not open: it was never opened, it was closed, its worker was given up, or the coordinator is
        /// stopping.
        public static let closed = Code(rawValue: 4)
        /// The event's deadline passed before it was applied.
        public static let deadlinePassed = Code(rawValue: 5)
        /// The sender and the worker have different schemas of this feature.
        public static let schema = Code(rawValue: 6)
        /// The encoded action exceeds the maximum size of a message.
        public static let tooLarge = Code(rawValue: 7)
        /// The feature said no: its interactor answered the event with ``Emission/reject(_:)``.
        public static let declined = Code(rawValue: 8)
        /// The coordinator lets this client only read the feature.
        public static let readOnly = Code(rawValue: 9)

        /// The code in words, such as "deadline passed". A code of a later version is shown as "rejection" and its
        /// number.
        public var description: String {
            switch self {
            case .overloaded: "overloaded"
            case .quarantined: "quarantined"
            case .undecodable: "undecodable"
            case .closed: "closed"
            case .deadlinePassed: "deadline passed"
            case .schema: "schema"
            case .tooLarge: "too large"
            case .declined: "declined"
            case .readOnly: "read only"
            default: "rejection \(rawValue)"
            }
        }
    }

    /// The kind of rejection, which alone determines equality.
    public let code: Code
    /// A message that says what happened and what to do. It is ignored in comparisons.
    public let reason: String
    /// For a quarantined event, information about the last worker that it crashed, or nil if that is not available. It
    /// is ignored in comparisons.
    public let report: CrashReport?
    /// The value of ``Emission/reject(_:value:)`` in CBOR, or nil if there is none.
    package let encodedValue: [UInt8]?

    /// A queue between the sender and the interactor was full. Send the event again when earlier events have ended.
    public static let overloaded = EventRejection(
        code: .overloaded,
        reason: "A queue on the way to the interactor is full. Send the event again when earlier events have ended."
    )
    /// The event ended two workers: each crashed, hung or exceeded a limit while it handled the event.
    public static let quarantined = EventRejection(
        code: .quarantined,
        reason: "The event ended two workers. Each of them crashed, hung or exceeded a limit while it handled the"
            + " event. Fix the cause, then send it again or retry it from the coordinator's quarantine."
    )
    /// The bytes are not an encoded action of this feature.
    public static let undecodable = EventRejection(
        code: .undecodable,
        reason: "The bytes are not an action of this feature. Build both ends from the same source."
    )
    /// The feature is not open: it was never opened, it was closed, its worker was given up, or the coordinator is
    /// stopping.
    public static let closed = EventRejection(
        code: .closed,
        reason: "The feature is not open here. Look at hostStatus, and open the feature again if it was closed."
    )
    /// The deadline passed before the event was applied.
    public static let deadlinePassed = EventRejection(
        code: .deadlinePassed,
        reason: "The deadline passed before the event was applied. Send it with a later deadline."
    )
    /// The sender and the worker have different schemas of the feature.
    public static let schema = EventRejection(
        code: .schema,
        reason: "The two ends have different schemas of this feature. Update the older one."
    )
    /// The encoded action exceeds the maximum size of a message.
    public static let tooLarge = EventRejection(
        code: .tooLarge,
        reason: "The action exceeds the maximum size of a message. Put large data into a file and send its name."
    )
    /// The coordinator lets this client only read the feature.
    public static let readOnly = EventRejection(
        code: .readOnly,
        reason: "This client may only read the feature. Ask the owner of the coordinator for permission to change it."
    )

    /// Creates a rejection.
    package init(code: Code, reason: String, report: CrashReport? = nil, encodedValue: [UInt8]? = nil) {
        self.code = code
        self.reason = reason
        self.report = report
        self.encodedValue = encodedValue
    }

    /// Returns the same rejection with a more specific message.
    public func with(reason: String) -> Self {
        Self(code: code, reason: reason, report: report, encodedValue: encodedValue)
    }

    /// Returns whether the codes are equal. The reason and the report are ignored.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code
    }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }

    /// The code in words and the reason, separated by a colon.
    public var description: String { "\(code): \(reason)" }
}
