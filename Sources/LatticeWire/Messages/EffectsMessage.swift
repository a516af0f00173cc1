import LatticeCoding

/// The named effects that have begun or ended at the server since the last such message, so that the opener knows them
/// when the server dies. The server sends it before the state or the acknowledgement to which it belongs, and before
/// the effects start.
package struct EffectsMessage: WireMessageBody {
    package static let kind = MessageKind.effects

    /// A named effect that begins after this message is sent.
    package struct Effect: FieldedBody, Sendable, Equatable {
        package static let name = "an effect"

        /// The server's number for the effect, which is unique on the channel in this session.
        package var number: UInt64 = 0
        /// The event to which the effect belongs; 0 if it belongs to no event of this channel.
        package var event: UInt64 = 0
        /// The name that the feature has given the effect, 1 to 255 bytes of UTF-8.
        package var name = ""
        /// The number of times that the effect may be recovered; 0 if its event fails instead.
        package var recoveries: UInt32 = 0

        package init(number: UInt64, event: UInt64, name: String, recoveries: UInt32) {
            self.number = number
            self.event = event
            self.name = name
            self.recoveries = recoveries
        }

        package init() {}

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.field(1, "number", &number, .growing)
            try coder.field(2, "event", &event, .growing)
            try coder.field(3, "name", &name, .effectName)
            try coder.field(4, "recoveries", &recoveries, .number(in: 0...MessageLimits.maximumRecoveries))
        }
    }

    /// The revision that must have arrived before this message takes effect.
    package var revision: UInt64 = 0
    /// The event up to which all events must be acknowledged before this message takes effect.
    package var applied: UInt64 = 0
    /// The effects that begin, at most ``MessageLimits/maximumBegunEffects``.
    package var begun: [Effect] = []
    /// The numbers of the effects that have ended, at most ``MessageLimits/maximumEndedEffects``.
    package var ended: [UInt64] = []

    package init(revision: UInt64, applied: UInt64, begun: [Effect], ended: [UInt64]) {
        self.revision = revision
        self.applied = applied
        self.begun = begun
        self.ended = ended
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "revision", &revision, .growing)
        try coder.field(2, "applied", &applied, .growing)
        try coder.field(3, "begun", &begun, .list(.value, maximum: MessageLimits.maximumBegunEffects))
        try coder.field(4, "ended", &ended, .list(.growing, maximum: MessageLimits.maximumEndedEffects))
    }

    /// Returns as many messages as these effects need.
    package static func messages(
        revision: UInt64,
        applied: UInt64,
        begun: [Effect],
        ended: [UInt64]
    ) -> [EffectsMessage] {
        var (begun, ended) = (begun[...], ended[...])
        var messages: [EffectsMessage] = []
        while !begun.isEmpty || !ended.isEmpty {
            let first = begun.prefix(MessageLimits.maximumBegunEffects)
            begun = begun.dropFirst(first.count)
            // Ended effects follow the last begun one, because an effect may have begun and ended.
            let last = begun.isEmpty ? ended.prefix(MessageLimits.maximumEndedEffects) : []
            ended = ended.dropFirst(last.count)
            messages.append(
                EffectsMessage(revision: revision, applied: applied, begun: Array(first), ended: Array(last))
            )
        }
        return messages
    }
}
