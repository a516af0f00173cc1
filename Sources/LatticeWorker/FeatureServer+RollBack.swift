import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// What a worker does about a state that cannot be sent.
extension FeatureServer {
    /// Goes back to the last state that could be sent, and applies the events since then again, so that only the one
    /// that is to blame fails. What effects have added since is lost, and the events that they belong to fail too, with
    /// those that ended since. None of the effects that the lost states asked for has started.
    func rollBack(_ failure: EffectFailure) {
        var lost = unreleased
        unreleased.removeAll()
        let (running, cancelled) = channel.withdraw(lost.events.map(\.number))
        lost.cancelled.formUnion(cancelled)
        for (number, event) in running {
            if (event as? EventTask)?.isCancelled == true { lost.cancelled.insert(number) }
            event.cancel()
        }
        guard let haveEffectsActed = goBack(failure) else { return }
        if haveEffectsActed {
            channel.failUnreleased(WireOutcome(.failed(failure)))
            redo(lost.events[...], of: lost)
        } else {
            divide(lost.events[...], of: lost, failure)
        }
        guard encode() != nil else { return }
        // The state that was gone back to is the one that was released, and it does not have to be encoded again.
        noteEffects()
        channel.releaseUnchanged()
        secure()
    }

    /// - Returns: Whether effects had acted since; nil if there is no going back.
    func goBack(_ failure: EffectFailure) -> Bool? {
        do {
            let state =
                try told?.state(withPartsOf: runtime.state)
                ?? WorkerLocalParts.carry(from: runtime.state) {
                    try decoder.decode(Feature.DomainState.self, from: channel.releasedState())
                }
            return runtime.rollBack(to: state, failing: failure)
        } catch {
            // Whoever opened the channel has a state that can be decoded, and opens it again with that.
            session.abort(.stateLost(Feature.identifier, error))
            return nil
        }
    }

    /// Applies events again, but those whose deadline has passed meanwhile; if the state still cannot be sent, one half
    /// after the other.
    private func redo(_ events: ArraySlice<UnreleasedEvents.Event>, of lost: UnreleasedEvents) {
        let tasks = events.map { event -> EventTask? in
            if event.terms.deadline.hasPassed { return nil }
            // It was decoded before.
            return try? lost.withAction(of: event) { try send($0, as: event.name, event.number, event.terms) }
        }
        if let failure = encode() {
            for task in tasks { task?.cancel() }
            guard goBack(failure) != nil else { return }
            return divide(events, of: lost, failure)
        }
        for (event, task) in zip(events, tasks) {
            let start = task.map { follow($0, event.number, event.terms.deadline) }
            channel.restart(event.number, start ?? .ended(.deadlinePassed))
            if lost.cancelled.contains(event.number) { task?.cancel() }
        }
        isAhead = true
    }

    private func divide(
        _ events: ArraySlice<UnreleasedEvents.Event>,
        of lost: UnreleasedEvents,
        _ failure: EffectFailure
    ) {
        guard events.count > 1 else {
            if let event = events.first {
                channel.restart(event.number, .ended(WireOutcome(.failed(failure))))
                isAhead = true
            }
            return
        }
        let middle = events.startIndex + events.count / 2
        redo(events[..<middle], of: lost)
        redo(events[middle...], of: lost)
    }
}
