import LatticeConcurrency

extension ActorNode {
    /// Calls of all sessions that have not ended, with those that are passed on: `sent` over a session from here, and
    /// `taken` over one. None is there for long at a node that nobody asks anything.
    package var callsUnderWay: (sent: Int, taken: Int) {
        core.withLock { core in
            core.links.keys.reduce((0, 0)) { sum, link in
                let count = core.table.count(on: link)
                return (sum.0 + count.sent, sum.1 + count.taken)
            }
        }
    }
}
