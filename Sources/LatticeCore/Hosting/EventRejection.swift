/// Why an event was never applied. Two rejections are equal when their codes are.
public struct EventRejection: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why, as a number that travels.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// What travels, as a `RejectionCode`: never change one, never use one again. A number that only a later
        /// version knows is kept.
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A queue on the way was full.
        public static let overloaded = Code(rawValue: 1)
        /// The event killed its worker twice.
        public static let quarantined = Code(rawValue: 2)
        /// The bytes are not an action of this feature.
        public static let undecodable = Code(rawValue: 3)
        /// The feature is not open, or no longer.
        public static let closed = Code(rawValue: 4)
        /// The event's deadline passed before it was applied.
        public static let deadlinePassed = Code(rawValue: 5)
        /// The two ends have different schemas of this feature.
        public static let schema = Code(rawValue: 6)
        /// The action is larger than what is sent.
        public static let tooLarge = Code(rawValue: 7)

        public var description: String {
            switch self {
            case .overloaded: "overloaded"
            case .quarantined: "quarantined"
            case .undecodable: "undecodable"
            case .closed: "closed"
            case .deadlinePassed: "deadline passed"
            case .schema: "schema"
            case .tooLarge: "too large"
            default: "rejection \(rawValue)"
            }
        }
    }

    /// Why; alone it decides whether two rejections are equal.
    public let code: Code
    /// A sentence for people that says what to do. Left out of comparisons.
    public let reason: String
    /// Of an event that went to quarantine, what is known of the last life that it has ended; nil where that is not
    /// told. Left out of comparisons.
    public let report: CrashReport?

    /// A queue on the way was full; send again when earlier events have ended.
    public static let overloaded = EventRejection(
        code: .overloaded,
        reason: "A queue on the way is full; send again when earlier events have ended."
    )
    /// The event killed its worker twice.
    public static let quarantined = EventRejection(
        code: .quarantined,
        reason: "The event killed its worker twice; find out why before it is sent again."
    )
    /// The bytes are not an action of this feature.
    public static let undecodable = EventRejection(
        code: .undecodable,
        reason: "The bytes are not an action of this feature; check that both ends were built from the same source."
    )
    /// The feature is not open, or no longer.
    public static let closed = EventRejection(
        code: .closed,
        reason: "The feature is not open here; open it again before sending."
    )
    /// The deadline passed before the event was applied.
    public static let deadlinePassed = EventRejection(
        code: .deadlinePassed,
        reason: "The deadline passed before the event was applied; send it with a later one."
    )
    /// The two ends have different schemas of the feature.
    public static let schema = EventRejection(
        code: .schema,
        reason: "The two ends have different schemas of this feature; update the older one."
    )
    /// The action is larger than what is sent.
    public static let tooLarge = EventRejection(
        code: .tooLarge,
        reason: "The action is larger than what is sent; put what is large into a file and send its name."
    )

    package init(code: Code, reason: String, report: CrashReport? = nil) {
        self.code = code
        self.reason = reason
        self.report = report
    }

    /// The same rejection with a sentence that knows more.
    public func with(reason: String) -> Self {
        Self(code: code, reason: reason, report: report)
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }

    public var description: String { "\(code): \(reason)" }
}
