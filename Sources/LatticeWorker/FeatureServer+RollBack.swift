import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// The roll-back of a state that cannot be sent.
extension FeatureServer {
    /// Restores the last state that could be sent, and applies the later events again, so that only the event that
    /// caused the problem fails.
    ///
    /// Changes that effects have made since then are lost. The events of these effects fail too, including those that
    /// have ended since. No effect that the lost states requested has started.
    func rollBack(_ failure: EffectFailure) {
        var (lost, running) = channel.withdraw()
        for (number, event) in running {
            if let cancellation = (event as? EventTask)?.cancellation {
                lost.cancelled[number] = WireCancellation(cancellation)
            }
            event.cancel(WireCancellation(by: .closed))
        }
        guard let haveEffectsActed = goBack(failure) else { return }
        if haveEffectsActed { channel.failUnreleased(WireOutcome(.failed(failure))) }
        if haveEffectsActed || lost.haveRejectionsActed {
            // All of them first, because none may be to blame.
            redo(lost.events[...], of: lost)
        } else {
            divide(lost.events[...], of: lost, failure)
        }
        guard encode() != nil else { return }
        // The restored state is the one that was released, and does not have to be encoded again.
        noteEffects()
        channel.releaseUnchanged()
        secure()
    }

    /// Restores the state that was released last.
    ///
    /// - Returns: A Boolean value that indicates whether effects had changed the state since, or nil if the state
    ///   cannot be restored.
    func goBack(_ failure: EffectFailure) -> Bool? {
        do {
            let state =
                try published?.state(withPartsOf: runtime.state)
                ?? WorkerLocalParts.carry(from: runtime.state) {
                    try decoder.decode(Feature.DomainState.self, from: channel.releasedState())
                }
            return runtime.rollBack(to: state, failing: failure)
        } catch {
            // The process that opened the channel has a state that can be decoded, and opens the channel again with it.
            session.abort(.stateLost(Feature.identifier, error))
            return nil
        }
    }

    /// Applies events again, except those whose deadline has passed. If the state still cannot be sent, applies one
    /// half of them after the other.
    private func redo(_ events: ArraySlice<TurnLedger.Event>, of lost: WithdrawnTurns) {
        let tasks = events.map { event -> EventTask? in
            if event.metadata.deadline.hasPassed { return nil }
            // Decoding succeeded before.
            return try? lost.withAction(of: event) { try send($0, as: event.name, event.number, event.metadata) }
        }
        if let failure = encode() {
            for task in tasks { task?.cancel() }
            guard goBack(failure) != nil else { return }
            return divide(events, of: lost, failure)
        }
        for (event, task) in zip(events, tasks) {
            let start = task.map { follow($0, event.number, event.metadata.deadline) }
            channel.restart(event.number, start ?? .ended(.deadlinePassed))
            if let cancellation = lost.cancelled[event.number] { task?.cancel(cancellation) }
        }
        loopState.value.isAhead = true
    }

    private func divide(
        _ events: ArraySlice<TurnLedger.Event>,
        of lost: WithdrawnTurns,
        _ failure: EffectFailure
    ) {
        guard events.count > 1 else {
            if let event = events.first {
                channel.restart(event.number, .ended(WireOutcome(.failed(failure))))
                loopState.value.isAhead = true
            }
            return
        }
        let middle = events.startIndex + events.count / 2
        redo(events[..<middle], of: lost)
        redo(events[middle...], of: lost)
    }
}
