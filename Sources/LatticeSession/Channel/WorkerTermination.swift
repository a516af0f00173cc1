package import LatticeWire

/// The possible culprits of a worker termination.
package enum Blame: Sendable, Equatable {
    /// Nothing in the worker caused the termination: the worker was killed from outside or ended normally.
    case nobody
    /// The worker terminated in the turn of this event, which is given by its number on its channel.
    case event(UInt64, channel: UInt32)
    /// The worker terminated in the turn of an effect's action.
    case effects
    /// The worker terminated outside a turn, or that is unknown. Each event in flight and each running effect may be
    /// the cause.
    case anything

    /// Whether an effect may have caused the termination.
    var includesEffects: Bool {
        switch self {
        case .nobody, .event: false
        case .effects, .anything: true
        }
    }
}

/// Further details of a worker termination. This module passes them on without reading them.
///
/// Every event outcome has room for a report, and almost no outcome has one. A class takes one word instead of the four
/// words of an existential. Copying and destroying the existential took 2 % of the CPU of `lattice-bench session
/// --only events`.
package final class TerminationReport: Sendable {
    /// The details, whose type is known to the module that created the report.
    package let value: any Sendable

    /// Creates a report with these details.
    package init(_ value: some Sendable) {
        self.value = value
    }
}

/// The termination of one incarnation of a worker.
package struct WorkerTermination: Sendable {
    /// The incarnation that terminated.
    package let incarnation: UInt64
    /// The cause of the termination.
    package let cause: WireCause
    /// The cause as a sentence for people.
    package let sentence: String
    /// The possible culprits.
    package let blame: Blame
    /// Further details of the termination, or nil if there are none.
    package internal(set) var report: TerminationReport?

    /// Creates a termination without a report.
    package init(incarnation: UInt64, cause: WireCause, sentence: String, blame: Blame) {
        self.incarnation = incarnation
        self.cause = cause
        self.sentence = sentence
        self.blame = blame
    }

    /// The outcome of an event that ran in the worker.
    var outcome: WireOutcome { .interrupted(cause: cause, incarnation: incarnation) }

    /// The outcome of an event that fails because one of its effects ran in the worker and is not started again.
    func failure(by effect: EffectDeaths) -> WireOutcome {
        let workers = effect.deaths == 1 ? "1 worker" : "\(effect.deaths) workers"
        let deaths = effect.deaths > 0 ? " (\(workers) ended while it was running)" : ""
        return .failed(
            type: "InterruptedEffect",
            message: "The effect \"\(effect.name)\" was running when its worker ended: \(sentence)\(deaths)"
        )
    }
}

/// The work that ran in a worker, or was in flight to it, when the worker terminated.
package struct UnfinishedWork: Sendable {
    /// An event that was not acknowledged.
    package struct Event: Sendable {
        /// The feature and instance of the channel.
        package let subject: ChannelClient.Subject
        /// The number of the channel.
        package let channel: UInt32
        /// The number of the event on the channel.
        package let number: UInt64
        /// The name of the event, or nil for an event of the opener itself.
        package let name: EventName?
    }

    /// The last events of each channel, oldest first.
    package internal(set) var events: [[Event]] = []
    /// The event in whose turn the worker terminated.
    package internal(set) var turn: Event?
    /// The names of running effects. For each channel, these are the first names in alphabetical order.
    package internal(set) var effects: Set<String> = []
}

/// The consequences of a worker termination for the incarnations that follow.
package struct TerminationVerdict: Sendable {
    /// The event that has terminated too many incarnations. It is not sent again, and its outcome is not sent yet.
    package var poisoned: PoisonedEvent?
    /// A Boolean value that indicates whether a named effect may have caused the termination and its feature decides
    /// how to recover.
    package var isAnswered = false
    /// Further details of the termination, or nil if there are none.
    package internal(set) var report: TerminationReport?
}
