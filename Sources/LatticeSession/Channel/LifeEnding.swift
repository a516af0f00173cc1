package import LatticeWire

/// How a life of a worker has ended.
package struct LifeEnding: Sendable {
    package let incarnation: UInt64
    package let cause: WireCause
    /// The cause, for people.
    package let sentence: String
    /// Whether what the worker did is why, and not somebody who ended it.
    package let isBlamed: Bool
    /// What else is known of it, which nobody looks into here; nil: nothing.
    package internal(set) var report: (any Sendable)?

    package init(incarnation: UInt64, cause: WireCause, sentence: String, isBlamed: Bool) {
        self.incarnation = incarnation
        self.cause = cause
        self.sentence = sentence
        self.isBlamed = isBlamed
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
    /// Names of effects, the first of each channel in their order.
    package internal(set) var effects: Set<String> = []
}

/// What the end of a life means for those that follow.
package struct LifeEnded: Sendable {
    /// The event that has ended too many lives, and is not sent again; its end is still to be told.
    package var poisoned: PoisonedEvent?
    /// Whether it may have been an effect with a name that has ended the life: its feature says what becomes of it.
    package var isAnswered = false
}
