public import LatticeClient
import LatticeConcurrency
public import LatticeCoordinator
import LatticeTransport

extension FaultPlan {
    /// Between whom things go wrong.
    public enum Link: Sendable {
        /// Between the coordinator and its workers: start *n* of a worker, from 0, has connection *n*. Where there are
        /// several groups, that of each.
        case workers
        /// The same for the workers of one group, by its name; empty: those of features that are in none. For it a plan
        /// takes the place of one for all. Nothing happens where there is no such group.
        case group(String)
        /// Between the coordinator and its clients, seen from the coordinator. There are no starts.
        case clients
    }
}

extension CoordinatorConfiguration {
    /// Has things go wrong in this coordinator by plan; a second plan for the same link takes the place of the first.
    ///
    /// ```swift
    /// var configuration = CoordinatorConfiguration()
    /// configuration.inject(FaultPlan([.reading(at: 5_000, .kill), .start(1, .crash)]), into: .workers)
    /// ```
    ///
    /// - Returns: Which of the faults have happened.
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
    /// Has things go wrong on the connections of this client by plan; a second plan takes the place of the first.
    ///
    /// Kills and pauses do nothing: the coordinator is not the client's.
    ///
    /// - Returns: Which of the faults have happened.
    @discardableResult
    public mutating func inject(_ plan: FaultPlan) -> FaultRecord {
        let record = FaultRecord()
        wrapConnections = { plan.wrapping(record) }
        return record
    }
}

extension FaultPlan {
    /// Puts the faults of one connection after the other around those that begin.
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
