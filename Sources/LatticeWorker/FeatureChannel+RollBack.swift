import LatticeCore
import LatticeSession

/// What a channel does with a state that cannot be sent: it goes back to the last one that could.
///
/// The events that were applied since are applied again, so that only the one that is to blame fails. What effects have
/// added since is lost, and the events that they belong to fail too, with those that ended since. None of the effects
/// that the lost states asked for has started.
extension FeatureChannel {
    func rollBack(_ failure: EffectFailure) {
        var lost = unsecured
        unsecured.removeAll()
        withdraw(&lost)
        guard let haveEffectsActed = goBack(failure) else { return }
        for index in ended.indices where ended[index].revision > server.revision {
            ended[index].revision = server.revision
            if haveEffectsActed, case .finished = ended[index].outcome { ended[index].outcome = .failed(failure) }
        }
        if haveEffectsActed {
            redo(lost.events[...], of: lost)
        } else {
            divide(lost.events[...], of: lost, failure)
        }
    }

    /// Nobody has heard how these events ended, or will.
    private func withdraw(_ lost: inout UnsecuredEvents) {
        for event in lost.events {
            // Without a place among those that run, its end counts for nothing.
            guard let task = running.removeValue(forKey: event.number) else { continue }
            if task.isCancelled { lost.cancelled.insert(event.number) }
            task.cancel()
        }
        guard let first = lost.events.first?.number else { return }
        for end in ended where end.first >= first {
            if case .cancelled = end.outcome { lost.cancelled.insert(end.first) }
        }
        ended.removeAll { end in
            if case .rejected = end.outcome { false } else { end.first >= first }
        }
    }

    /// - Returns: Whether effects had acted since; nil if there is no going back.
    private func goBack(_ failure: EffectFailure) -> Bool? {
        do {
            let haveEffectsActed = try feature.rollBack(to: encoded, failing: failure)
            server.revert(to: securedRevision)
            return haveEffectsActed
        } catch {
            // Whoever opened the channel has a state that can be decoded, and opens it again with that.
            session.abort(.stateLost(feature.identifier, error))
            return nil
        }
    }

    /// Applies events again; if the state still cannot be sent, one half after the other.
    private func redo(_ events: ArraySlice<UnsecuredEvents.Event>, of lost: UnsecuredEvents) {
        let tasks = events.compactMap { event -> (UInt64, EventTask)? in
            // It was decoded before.
            guard let task = try? lost.withAction(of: event, { try feature.send($0, as: lost.identity(of: event)) })
            else {
                return nil
            }
            return (event.number, task)
        }
        guard let failure = secure() else {
            for (event, task) in tasks {
                follow(task, event)
                if lost.cancelled.contains(event) { running[event]?.cancel() }
            }
            return
        }
        for (_, task) in tasks { task.cancel() }
        guard goBack(failure) != nil else { return }
        divide(events, of: lost, failure)
    }

    private func divide(
        _ events: ArraySlice<UnsecuredEvents.Event>,
        of lost: UnsecuredEvents,
        _ failure: EffectFailure
    ) {
        guard events.count > 1 else {
            if let event = events.first { end(event.number, .failed(failure)) }
            return
        }
        let middle = events.startIndex + events.count / 2
        redo(events[..<middle], of: lost)
        redo(events[middle...], of: lost)
    }
}
