import LatticeConcurrency

/// A call that waits for a member of a pool, and the member that it is given.
final class PoolSlot: Sendable {
    private enum State {
        case waiting
        case given(LatticeActorID)
        /// The call no longer waits.
        case abandoned
    }

    /// The key of the call, or nil if it may run in any order.
    let key: PoolKey?
    /// The member that was assigned, or the reason why the call gets none.
    let member = OneShot<Result<LatticeActorID, ActorCallError>>()
    private let state = Locked(State.waiting)

    init(_ key: PoolKey?) {
        self.key = key
    }

    /// Assigns a member to the call.
    ///
    /// - Returns: False if the call no longer waits.
    func give(_ member: LatticeActorID) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .given(member)
            return true
        }
        if isWaiting { self.member.complete(.success(member)) }
        return isWaiting
    }

    /// Marks the call as no longer waiting.
    ///
    /// - Returns: The member, if one was assigned before.
    func abandon() -> LatticeActorID? {
        state.withLock { state in
            defer { state = .abandoned }
            if case .given(let member) = state { return member }
            return nil
        }
    }
}
