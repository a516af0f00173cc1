/// The identity of an event, for life: a repetition after a worker's death carries the same one.
public struct EventID: Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: UInt64

    /// The event that the running effect belongs to, to be used as an idempotency key; nil outside effects, and in
    /// effects of events that have no identity because they never leave their process.
    @TaskLocal public static var current: EventID?

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public init(from decoder: any Decoder) throws {
        try self.init(rawValue: decoder.singleValueContainer().decode(UInt64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    public var description: String { "event \(rawValue)" }
}
