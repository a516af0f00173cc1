package import LatticeCore

/// What one turn of the reactor brought for one channel: the newest state, and what ended once that state is shown.
package struct Delivery<State: Sendable>: Sendable {
    package typealias Ending = DeliveredEnding

    /// The newest state, if one came; older ones of the same turn are left out.
    package var state: State?
    /// How things stand with what runs the feature, if that changed.
    package var host: HostStatus?
    /// Events up to this number are part of the state.
    package var acknowledged: UInt64 = 0
    /// The other side answered `open`.
    package var isOpened = false
    package var endings: [Ending] = []
    /// The channel takes nothing any more.
    package var rejection: EventRejection?
    /// The channel takes events again after a rejection.
    package var isRevived = false

    package init() {}

    /// Adds what came later.
    package mutating func merge(_ later: Delivery<State>) {
        if later.state != nil { state = later.state }
        if later.host != nil { host = later.host }
        acknowledged = max(acknowledged, later.acknowledged)
        endings.append(contentsOf: later.endings)
        if later.isOpened { reopen() }
        if later.isRevived { revive() }
        if let later = later.rejection { reject(later) }
    }

    package mutating func reopen() {
        isOpened = true
        rejection = nil
    }

    package mutating func revive() {
        isRevived = true
        rejection = nil
    }

    package mutating func reject(_ rejection: EventRejection) {
        self.rejection = rejection
        isOpened = false
        isRevived = false
    }

    /// The same with the state in another form; nil where there is none of it.
    package func map<Other>(_ transform: (State) throws -> Other?) rethrows -> Delivery<Other> {
        var delivery = Delivery<Other>()
        if let state { delivery.state = try transform(state) }
        delivery.host = host
        delivery.acknowledged = acknowledged
        delivery.isOpened = isOpened
        delivery.endings = endings
        delivery.rejection = rejection
        delivery.isRevived = isRevived
        return delivery
    }
}

/// How an event ended, with what has to be told.
package struct DeliveredEnding: Sendable {
    package let completion: EventCompletion
    package let outcome: EventOutcome
}
