import LatticeConcurrency

/// A call that waits for a member of a pool.
final class PoolTurn: Sendable {
    private enum State {
        case waiting
        case given(LatticeActorID)
        /// Nobody waits any more.
        case abandoned
    }

    let key: PoolKey?
    /// nil: the pool has ended.
    let member = OneShot<LatticeActorID?>()
    private let state = Locked(State.waiting)

    init(_ key: PoolKey?) {
        self.key = key
    }

    /// - Returns: False: nobody waits for it any more.
    func give(_ member: LatticeActorID) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .given(member)
            return true
        }
        if isWaiting { self.member.complete(member) }
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
