/// Why an event was never applied. Two rejections are equal when their codes are.
public struct EventRejection: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why, as a number that travels.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// What travels, as a `RejectionCode`: never change one, never use one again. A number that only a later version
        /// knows is kept.
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

        public var description: String { EventRejection.texts[self]?.name ?? "rejection \(rawValue)" }
    }

    /// Why; alone it decides whether two rejections are equal.
    public let code: Code
    /// A sentence for people that says what to do. Left out of comparisons.
    public let reason: String

    /// A queue on the way was full; send again when earlier events have ended.
    public static let overloaded = EventRejection(.overloaded)
    /// The event killed its worker twice.
    public static let quarantined = EventRejection(.quarantined)
    /// The bytes are not an action of this feature.
    public static let undecodable = EventRejection(.undecodable)
    /// The feature is not open, or no longer.
    public static let closed = EventRejection(.closed)
    /// The deadline passed before the event was applied.
    public static let deadlinePassed = EventRejection(.deadlinePassed)
    /// The two ends have different schemas of the feature.
    public static let schema = EventRejection(.schema)
    /// The action is larger than what is sent.
    public static let tooLarge = EventRejection(.tooLarge)

    private static let texts: [Code: (name: String, reason: String)] = [
        .overloaded: ("overloaded", "A queue on the way is full; send again when earlier events have ended."),
        .quarantined: ("quarantined", "The event killed its worker twice; find out why before it is sent again."),
        .undecodable: (
            "undecodable",
            "The bytes are not an action of this feature; check that both ends were built from the same source."
        ),
        .closed: ("closed", "The feature is not open here; open it again before sending."),
        .deadlinePassed: (
            "deadline passed",
            "The deadline passed before the event was applied; send it with a later one."
        ),
        .schema: ("schema", "The two ends have different schemas of this feature; update the older one."),
        .tooLarge: (
            "too large",
            "The action is larger than what is sent; put what is large into a file and send its name."
        ),
    ]

    private init(_ code: Code) {
        self.init(code: code, reason: Self.texts[code]?.reason ?? "")
    }

    package init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The same rejection with a sentence that knows more.
    public func with(reason: String) -> Self {
        Self(code: code, reason: reason)
    }

    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.code == rhs.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
    }

    public var description: String { "\(code): \(reason)" }
}
