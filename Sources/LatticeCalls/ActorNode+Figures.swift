import LatticeConcurrency
import LatticeTransport

/// What the hub knows of actors and calls, for people.
extension ActorNode {
    /// A process with actors or calls.
    package struct Process: Sendable {
        /// The ID of its node.
        package let node: NodeID
        /// The name of the process in messages.
        package let title: String
        package let processID: Int32?
        /// The incarnation of a worker, or 0 for other processes.
        package let incarnation: UInt64
    }

    /// An actor that was published under a name.
    package struct NamedActor: Sendable {
        package let name: String
        /// The number of the actor in its process.
        package let number: UInt64
        package let process: Process
        /// Whether a search for the name finds the actor. It does not find those of standby workers, nor those of
        /// clients while another process serves the name.
        package let isFound: Bool
    }

    /// The calls of one process that have not ended.
    package struct ProcessCalls: Sendable {
        package let process: Process
        /// The number of calls that were sent to the process. They include calls of other processes.
        package let received: Int
        /// The number of calls that the process has made here and through this node.
        package let made: Int
        /// The time for which the oldest call of an actor in the process has had no answer, at least. It is counted
        /// from an earlier reading of this value, because no time is stored for each call.
        package let oldest: Duration
    }

    /// The number of actors in this process that have not ended.
    package var actorCount: Int { core.withLock(\.host)?.actorCount ?? 0 }

    /// The actors with names, in no order.
    package var namedActors: [NamedActor] {
        // Only the table is copied under the lock, which each call takes.
        let names = core.withLock(\.names)
        let own = Process(node: id, title: title, processID: Peer.current.processID, incarnation: incarnation)
        var processes: [SessionID?: Process] = [nil: own]
        for (session, process) in connected { processes[session] = process }
        return names.published.compactMap { name, entry, isFound in
            processes[entry.session].map { NamedActor(name: name, number: entry.actor, process: $0, isFound: isFound) }
        }
    }

    /// The calls of the processes that are connected to this node, in no order.
    package var processCalls: [ProcessCalls] {
        let now = ContinuousClock.now
        return connected.map { session, process in
            // For one process at a time, so that no call waits for all of them.
            let (count, oldest) = core.withLock { core in
                (core.table.count(on: session), core.table.oldestAge(on: session, at: now))
            }
            return ProcessCalls(process: process, received: count.sent, made: count.taken, oldest: oldest)
        }
    }

    /// The processes that are connected to this node.
    private var connected: [(session: SessionID, process: Process)] {
        core.withLock(\.sessions.values).compactMap { session in
            guard let node = core.withLock({ $0.table.peer(of: session.id) }) else { return nil }
            let process = Process(
                node: node,
                title: session.title,
                processID: session.processID,
                incarnation: session.incarnation
            )
            return (session.id, process)
        }
    }
}
