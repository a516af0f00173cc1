import LatticeCoding

/// Says which effects with a name run at the server since the last such message, so that the opener knows it when the
/// server dies. It goes out before the state or the acknowledgement that it belongs to, and before the effects start.
package struct EffectsMessage: WireMessageBody {
    package static let kind = MessageKind.effects

    /// An effect that begins once this is told.
    package struct Effect: FieldedBody, Sendable, Equatable {
        package static let name = "an effect"

        /// The server's number for it: no other effect of the channel has it in this session.
        package var number: UInt64 = 0
        /// The event that it belongs to; 0 for none of this channel's.
        package var event: UInt64 = 0
        /// What the feature calls it: 1 to 255 bytes of UTF-8.
        package var name = ""
        /// How often it may be handed over to be started again; 0: its event fails.
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

    /// The revision that must have arrived before this takes effect.
    package var revision: UInt64 = 0
    /// The event that must have been acknowledged, with all before it, before this takes effect.
    package var applied: UInt64 = 0
    /// At most ``MessageLimits/maximumBegunEffects``.
    package var begun: [Effect] = []
    /// The numbers of those that have ended, at most ``MessageLimits/maximumEndedEffects``.
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

    /// As many messages as it takes to say it.
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
            // Behind the last that has begun: it may have ended too.
            let last = begun.isEmpty ? ended.prefix(MessageLimits.maximumEndedEffects) : []
            ended = ended.dropFirst(last.count)
            messages.append(
                EffectsMessage(revision: revision, applied: applied, begun: Array(first), ended: Array(last))
            )
        }
        return messages
    }
}
