public import LatticeClient
import LatticeConcurrency
public import LatticeCoordinator
import LatticeTransport

extension FaultPlan {
    /// The processes between which faults are injected.
    public enum Link: Sendable {
        /// The coordinator and its workers. Start *n* of a worker has connection *n*, and both count from 0. If there
        /// are several groups, each one has its own starts.
        case workers
        /// The coordinator and the workers of the group with this name, or of the features without a group if the name
        /// is empty. A plan for a group replaces the plan for all workers there. If there is no such group, nothing
        /// happens.
        case group(String)
        /// The coordinator and its clients, as seen from the coordinator. There are no starts.
        case clients
    }
}

extension CoordinatorConfiguration {
    /// Injects the faults of a plan into this coordinator. A second plan for the same link replaces the first one.
    ///
    /// ```swift
    /// var configuration = CoordinatorConfiguration()
    /// configuration.inject(FaultPlan([.reading(at: 5_000, .kill), .start(1, .crash)]), into: .workers)
    /// ```
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - link: The processes between which faults are injected.
    /// - Returns: A record of the faults that have happened.
    @discardableResult
    public mutating func inject(_ plan: FaultPlan, into link: FaultPlan.Link) -> FaultRecord {
        let record = FaultRecord()
        switch link {
        case .workers: wrapLaunchers[nil] = { FaultyLauncher(launcher: $0, plan: plan, record: record) }
        case .group(let name): wrapLaunchers[name] = { FaultyLauncher(launcher: $0, plan: plan, record: record) }
        case .clients: wrapClients = { plan.wrapping(record) }
        }
        return record
    }
}

extension ClientConfiguration {
    /// Injects the faults of a plan into the connections of this client. A second plan replaces the first one.
    ///
    /// Kills and pauses have no effect, because the coordinator does not belong to the client.
    ///
    /// - Parameter plan: The plan.
    /// - Returns: A record of the faults that have happened.
    @discardableResult
    public mutating func inject(_ plan: FaultPlan) -> FaultRecord {
        let record = FaultRecord()
        wrapConnections = { plan.wrapping(record) }
        return record
    }
}

extension FaultPlan {
    /// Returns a function that wraps each new connection with the faults of the next connection in the plan.
    fileprivate func wrapping(_ record: FaultRecord) -> ConnectionWrapper {
        let count = Count()
        return { FaultyConnection($0, self, number: count.next(), record: record) }
    }

    private final class Count: Sendable {
        private let begun = Locked(0)

        func next() -> Int {
            begun.withLock { begun in
                defer { begun += 1 }
                return begun
            }
        }
    }
}
