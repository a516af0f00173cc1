package import LatticeWire

/// Who may be why a life of a worker has ended.
package enum Blame: Sendable, Equatable {
    /// Nothing that it did: it was ended from outside, or in order.
    case nobody
    /// The event in whose turn it was, by its number on its channel.
    case event(UInt64, channel: UInt32)
    /// It was in the turn of an effect's action.
    case effects
    /// It was in no turn, or that is not known: each event on its way to it, and each effect.
    case anything

    /// Whether it may have been an effect.
    var holdsForEffects: Bool {
        switch self {
        case .nobody, .event: false
        case .effects, .anything: true
        }
    }
}

/// What else is known of how a life has ended, which nobody looks into here.
///
/// Every event's end has room for one, and almost none has one: so a word, where the existential took four, whose
/// copying and destroying was 2 % of the CPU of `latticectl bench session --only events`.
package final class TerminationReport: Sendable {
    package let value: any Sendable

    package init(_ value: some Sendable) {
        self.value = value
    }
}

/// How a life of a worker has ended.
package struct WorkerTermination: Sendable {
    package let incarnation: UInt64
    package let cause: WireCause
    /// The cause, for people.
    package let sentence: String
    /// Who may be why.
    package let blame: Blame
    /// What else is known of it; nil: nothing.
    package internal(set) var report: TerminationReport?

    package init(incarnation: UInt64, cause: WireCause, sentence: String, blame: Blame) {
        self.incarnation = incarnation
        self.cause = cause
        self.sentence = sentence
        self.blame = blame
    }

    /// How an event ends that ran there.
    var outcome: WireOutcome { .interrupted(cause: cause, incarnation: incarnation) }

    /// How an event ends because of an effect that ran there, and is not started again.
    func failure(by effect: EffectDeaths) -> WireOutcome {
        let deaths = effect.deaths > 0 ? "; \(effect.deaths) lives have ended while it ran" : ""
        return .failed(
            type: "InterruptedEffect",
            message: "the effect \"\(effect.name)\" ran when its worker ended: \(sentence)\(deaths)"
        )
    }
}

/// What ran in a worker, or was on its way there, when it ended.
package struct UnfinishedWork: Sendable {
    /// An event that was not acknowledged.
    package struct Event: Sendable {
        package let subject: ChannelClient.Subject
        package let channel: UInt32
        package let number: UInt64
        /// Whose event it is; nil for the opener's own.
        package let name: EventName?
    }

    /// The last of each channel, oldest first.
    package internal(set) var events: [[Event]] = []
    /// The one in whose turn it ended.
    package internal(set) var turn: Event?
    /// Names of effects, the first of each channel in their order.
    package internal(set) var effects: Set<String> = []
}

/// What the end of a life means for those that follow.
package struct TerminationVerdict: Sendable {
    /// The event that has ended too many lives, and is not sent again; its end is still to be told.
    package var poisoned: PoisonedEvent?
    /// Whether it may have been an effect with a name that has ended the life: its feature says what becomes of it.
    package var isAnswered = false
    /// What is known of it.
    package internal(set) var report: TerminationReport?
}
