import LatticeCoding

/// The globally unique identity of an event. No two events have the same ID, on any host and at any time.
///
/// An ID consists of the sender, which is 16 random bytes, the sender's channel, the feature and its instance, and the
/// number of the event on that channel. Every process that handles the event sees the same ID, so you can write it to
/// logs and pass it on as an idempotency key. An event that is sent again after a worker's termination keeps its ID.
///
/// ``description`` is the text form, for example `tally/a0c4…7e/3/17`, or `tally/42/a0c4…7e/3/17` with the instance key
/// `42`. It is ASCII without spaces, and ``init(_:)`` parses it. An ID is encoded as that text.
public struct EventID: Hashable, Sendable, Codable, LosslessStringConvertible {
    /// The ID of the event that the running code belongs to, for use as an idempotency key. It has a value in
    /// interactors, in effects, and in calls that were made for an event.
    ///
    /// It is nil elsewhere, and for events that never leave their process, since such events are never repeated.
    /// ``EventContext/current`` has further facts.
    public static var current: EventID? {
        if let context = CurrentTurn.context { return context.id }
        return TaskSubject.current?.id
    }

    /// The source of the event.
    package let origin: EventOrigin
    /// The number of the event on the channel of its sender, from 1.
    public let number: UInt64

    /// Creates an ID from its parts.
    package init(origin: EventOrigin, number: UInt64) {
        self.origin = origin
        self.number = number
    }

    /// The 16 random bytes that identify the sender: a client, or a coordinator whose own view model sent the event.
    package var sender: [UInt8] { origin.sender.bytes }
    /// The number of the sender's channel, which is unique for the sender.
    package var channel: UInt32 { origin.channel }
    /// The identifier of the feature.
    public var feature: String { origin.feature }
    /// The instance key. It is empty for a feature's only instance.
    public var instance: String { origin.instance }
}

// MARK: - Text

extension EventID {
    /// The text form: feature, instance, sender, channel and number, separated by slashes. An empty instance is
    /// omitted, and the sender is written in hexadecimal digits. In the feature and the instance, every character other
    /// than an ASCII letter, a digit or one of `-._~` is percent-encoded.
    /// - Complexity: O(*n*), where *n* is the length of the text.
    public var description: String {
        let instance = origin.instance.isEmpty ? "" : PercentCoding.encoded(origin.instance) + "/"
        return "\(PercentCoding.encoded(origin.feature))/\(instance)\(origin.sender)/\(origin.channel)/\(number)"
    }

    /// Creates an ID from its text form. The result is nil unless the text is exactly as ``description`` writes it.
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
        // Each ID has exactly one text form: no leading zeros, no capital digits, no needless percent encoding.
        guard description == text else { return nil }
    }

    /// Decodes an ID from its text form.
    /// - Throws: `DecodingError` unless the text is exactly as `description` writes it.
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

    /// Encodes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The source of events: one channel of one sender. All events of the channel share one object.
package final class EventOrigin: Hashable, Sendable {
    /// The sender.
    package let sender: EventSender
    /// The number of the channel at the sender, which never reuses it.
    package let channel: UInt32
    /// The feature's identifier.
    package let feature: String
    /// The instance key. It is empty for a feature's only instance.
    package let instance: String
    /// The client that sends the events, as the coordinator determined it. It is nil for events of the program, and
    /// where nothing vouches for the sender. It is no part of the identity.
    package let client: RuntimeEvent.Client?

    /// Creates an origin.
    package init(
        sender: EventSender,
        channel: UInt32,
        feature: String,
        instance: String,
        client: RuntimeEvent.Client? = nil
    ) {
        self.client = client
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
        // The sender and the channel determine the feature and the instance.
        hasher.combine(sender)
        hasher.combine(channel)
    }
}

/// The identity of a sender of events: 16 random bytes, which make it unique.
package struct EventSender: Hashable, Sendable, CustomStringConvertible {
    /// The bytes as a number, with the most significant byte first.
    package let value: UInt128

    /// Creates a sender from its number.
    package init(_ value: UInt128) {
        self.value = value
    }

    /// Creates a sender from 16 bytes. The result is nil for any other number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let value = UInt128(bytes: bytes) else { return nil }
        self.init(value)
    }

    /// Returns a new random sender.
    package static func random() -> EventSender {
        EventSender(UInt128.random(in: .min ... .max))
    }

    /// The 16 bytes of the sender.
    package var bytes: [UInt8] { value.bytes }

    /// 32 hexadecimal digits, in lower case.
    package var description: String { value.hexadecimal }

    /// Parses 32 hexadecimal digits.
    init?(digits: Substring) {
        guard digits.utf8.count == 2 * UInt128.byteCount, digits.allSatisfy(\.isHexDigit),
            let value = UInt128(digits, radix: 16)
        else { return nil }
        self.init(value)
    }
}
