import LatticeConcurrency

extension ActorNode {
    /// The numbers of calls of all sessions that have not ended: those sent over a session, and those received over
    /// one. They include calls that are passed on. Both numbers return to zero when the node is idle.
    package var callsUnderWay: (sent: Int, taken: Int) {
        core.withLock { core in
            core.sessions.keys.reduce((0, 0)) { sum, session in
                let count = core.table.count(on: session)
                return (sum.0 + count.sent, sum.1 + count.taken)
            }
        }
    }
}
