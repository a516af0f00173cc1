import LatticeConcurrency

/// A call that waits for a member of a pool.
final class PoolSlot: Sendable {
    private enum State {
        case waiting
        case given(LatticeActorID)
        /// The call does not wait any more.
        case abandoned
    }

    let key: PoolKey?
    /// Or why it gets none.
    let member = OneShot<Result<LatticeActorID, ActorCallError>>()
    private let state = Locked(State.waiting)

    init(_ key: PoolKey?) {
        self.key = key
    }

    /// - Returns: False: the call does not wait for it any more.
    func give(_ member: LatticeActorID) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .given(member)
            return true
        }
        if isWaiting { self.member.complete(.success(member)) }
        return isWaiting
    }

    /// - Returns: The member, if it was given one.
    func abandon() -> LatticeActorID? {
        state.withLock { state in
            defer { state = .abandoned }
            if case .given(let member) = state { return member }
            return nil
        }
    }
}
