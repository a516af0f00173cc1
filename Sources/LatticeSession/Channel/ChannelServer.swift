/// The serving end of a channel: what was applied, what the opener has been told.
///
/// A worker has one for each feature that a coordinator opened, a coordinator one for each that a client opened. It
/// does no I/O and never looks at a state: it only counts.
package struct ChannelServer: Equatable {
    /// What to do with an event that came.
    package enum Receipt: Equatable {
        case apply
        /// The same, and what it starts is to be cancelled at once: the cancel came first, on its faster lane.
        case applyCancelled
        /// It was taken in before the connection broke. If it has ended, its outcome may have been lost with that.
        case duplicate
    }

    /// What the opener has to be told at the end of a turn.
    package enum Publication: Equatable {
        case state(revision: UInt64, applied: UInt64)
        case acknowledgement(applied: UInt64, revision: UInt64)
    }

    /// The number of the present state.
    package private(set) var revision: UInt64
    /// The highest event that was taken in.
    package private(set) var received: UInt64
    /// The highest event whose change is part of the present state.
    package private(set) var applied: UInt64
    private var published: UInt64
    /// The opener has been told of all events up to this one: by a state, an acknowledgement or their own outcomes.
    private var announced: UInt64
    /// Events that were cancelled before they came.
    private var cancelled: Set<UInt64> = []

    package init(revision: UInt64, applied: UInt64) {
        self.revision = revision
        self.applied = applied
        received = applied
        published = revision
        announced = applied
    }

    package mutating func receive(event: UInt64) -> Receipt {
        guard event > received else { return .duplicate }
        received = event
        guard !cancelled.isEmpty, cancelled.remove(event) != nil else { return .apply }
        return .applyCancelled
    }

    /// A cancel came. Answers whether its event is here; if not, it is kept until the event comes.
    ///
    /// - Throws: When more events are cancelled in advance than a channel can have on its way.
    package mutating func cancel(event: UInt64) throws(SessionError) -> Bool {
        guard event > received else { return true }
        guard cancelled.count < ChannelLimits().maximumEvents else {
            throw .violation("\(cancelled.count) events were cancelled that did not come")
        }
        cancelled.insert(event)
        return false
    }

    /// The change of an event, and of all before it, is part of the present state.
    package mutating func apply(through event: UInt64) {
        applied = max(applied, min(event, received))
    }

    /// The state changed; its number grows.
    package mutating func change() {
        revision += 1
    }

    /// The state changed and has the number that its owner gives it.
    package mutating func change(to revision: UInt64) {
        self.revision = max(self.revision, revision)
    }

    /// The newest states cannot be sent: that with this number, or a later one that was sent, is the present one again.
    package mutating func revert(to revision: UInt64) {
        self.revision = max(published, min(self.revision, revision))
    }

    /// An event ended. Answers the revision that the completion carries: the opener shows that state first.
    ///
    /// The completion acknowledges its own event and no other: a rejection may overtake what is not applied yet.
    package mutating func complete(_ event: UInt64) -> UInt64 {
        if event > announced, event - 1 == announced { announced = event }
        return revision
    }

    /// Whether the opener has not got the present state.
    package var isDirty: Bool { revision > published }

    /// Takes what is due: the newest state, or the bare acknowledgement of events that changed nothing.
    package mutating func publish() -> Publication? {
        if isDirty {
            republish()
            return .state(revision: revision, applied: applied)
        }
        guard applied > announced else { return nil }
        announced = applied
        return .acknowledgement(applied: applied, revision: revision)
    }

    /// The opener is told the present state by other means (`opened`).
    package mutating func republish() {
        published = revision
        announced = max(announced, applied)
    }
}
