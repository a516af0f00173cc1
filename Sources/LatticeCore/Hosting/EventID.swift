import LatticeCoding

/// The name of an event, in the world and for ever: no two events have the same one, on whatever host they were sent.
///
/// It says who sent the event, as 16 random bytes, on which of its channels, for which instance of which feature, and
/// the event's number there. Whoever handles the event sees the same name, in every process: it may be written to logs
/// and handed on as an idempotency key. A repetition after a worker's death carries the name of the first time.
///
/// ``description`` is its text form, for example `tally/a0c4…7e/3/17`, or `tally/42/a0c4…7e/3/17` with the instance key
/// `42`: ASCII without spaces, which ``init(_:)`` reads back. It is coded as that text.
public struct EventID: Hashable, Sendable, Codable, LosslessStringConvertible {
    /// The event that the running effect belongs to, to be used as an idempotency key. Nil outside effects, and in
    /// effects of events that never leave their process: nothing of these is ever repeated.
    @TaskLocal public static var current: EventID?

    /// Who sent the event.
    package let origin: EventOrigin
    /// The event's number on the channel of its sender, from 1 on.
    public let number: UInt64

    package init(origin: EventOrigin, number: UInt64) {
        self.origin = origin
        self.number = number
    }

    /// The 16 random bytes by which its sender is known: a client, or a coordinator whose own view model sent it.
    public var sender: [UInt8] { origin.sender.bytes }
    /// The number of the channel on which its sender sent it; unique for the sender.
    public var channel: UInt32 { origin.channel }
    /// The identifier of the feature.
    public var feature: String { origin.feature }
    /// The instance key; empty for the only instance.
    public var instance: String { origin.instance }
}

// MARK: - Text

extension EventID {
    /// Its text form: feature, instance unless that is empty, sender in hexadecimal digits, channel and number, between
    /// slashes. Of feature and instance, whatever is not an ASCII letter, a digit or one of `-._~` is percent-encoded.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public var description: String {
        let instance = origin.instance.isEmpty ? "" : PercentCoding.encoded(origin.instance) + "/"
        return "\(PercentCoding.encoded(origin.feature))/\(instance)\(origin.sender)/\(origin.channel)/\(number)"
    }

    /// The event with this name; nil unless the text is exactly as ``description`` writes it.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 || parts.count == 5,
            let feature = PercentCoding.decoded(parts[0]),
            let instance = parts.count == 4 ? "" : PercentCoding.decoded(parts[1]),
            let sender = EventSender(digits: parts[parts.count - 3]),
            let channel = UInt32(parts[parts.count - 2]),
            let number = UInt64(parts[parts.count - 1])
        else { return nil }
        let origin = EventOrigin(sender: sender, channel: channel, feature: feature, instance: instance)
        self.init(origin: origin, number: number)
        // One name has one text: no leading zeros, no capital digits, nothing encoded without need.
        guard description == text else { return nil }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = EventID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not the name of an event."
            )
        }
        self = id
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Where events come from: one channel of one sender. All its events share it.
package final class EventOrigin: Hashable, Sendable {
    package let sender: EventSender
    /// The number of the channel at the sender, which never uses it for another one.
    package let channel: UInt32
    /// The feature's identifier.
    package let feature: String
    /// The instance key; empty for the only one.
    package let instance: String

    package init(sender: EventSender, channel: UInt32, feature: String, instance: String) {
        self.sender = sender
        self.channel = channel
        self.feature = feature
        self.instance = instance
    }

    package static func == (left: EventOrigin, right: EventOrigin) -> Bool {
        left === right
            || (left.sender, left.channel, left.feature, left.instance)
                == (right.sender, right.channel, right.feature, right.instance)
    }

    package func hash(into hasher: inout Hasher) {
        // Feature and instance follow from these.
        hasher.combine(sender)
        hasher.combine(channel)
    }
}

/// Who sends events, as 16 bytes that nobody else has: they are made at random.
package struct EventSender: Hashable, Sendable, CustomStringConvertible {
    /// The bytes as a number, the first one the most significant.
    package let value: UInt128

    package init(_ value: UInt128) {
        self.value = value
    }

    /// The sender with these bytes; nil unless they are 16.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = UInt128(bytes: bytes) else { return nil }
        self.init(value)
    }

    /// A new one.
    package static func random() -> EventSender {
        EventSender(UInt128.random(in: .min ... .max))
    }

    package var bytes: [UInt8] { value.bytes }

    /// 32 hexadecimal digits, in small letters.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 2 * UInt128.byteCount - digits.utf8.count) + digits
    }

    /// Reads 32 hexadecimal digits.
    init?(digits: Substring) {
        guard digits.utf8.count == 2 * UInt128.byteCount, digits.allSatisfy(\.isHexDigit),
            let value = UInt128(digits, radix: 16)
        else { return nil }
        self.init(value)
    }
}
