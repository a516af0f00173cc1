package import LatticeCalls
package import LatticeConcurrency
package import LatticeCore
import LatticeProcess

/// One incarnation of a worker that serves, for code that gives it tasks and answers for what these tasks do.
///
/// While a task runs, the death of the worker is the task's. It does not count against the worker, and the next
/// incarnation starts without delay. The owner of the tasks must limit how often a task runs again.
package final class ServingWorker: Sendable {
    /// The end of the worker.
    package struct End: Sendable {
        /// How the worker ended.
        package let interruption: Interruption
        /// Whether the worker was asked to leave before it ended.
        package let wasAskedToLeave: Bool
        /// Whether the worker had seen the end of its session, for example because its connection broke. It then exits,
        /// and its tasks have not caused this.
        package let hadLostSession: Bool
    }

    /// The name of the worker's group.
    package let group: String
    /// The ID of the worker's node.
    let node: NodeID
    /// The process ID of the worker.
    package let processID: Int32
    /// Completed when the worker has ended, before its calls end.
    package let ended = OneShot<End>()
    private let memory: ProcessMemory
    /// The number of tasks that run.
    private let tasks = Locked(0)
    private let kill: @Sendable (Interruption.Cause, RuntimeEvent.KillReason) -> Void

    /// - Parameter kill: Ends the worker for a cause, unless it is already being ended.
    init(
        group: String,
        node: NodeID,
        processID: Int32,
        kill: @escaping @Sendable (Interruption.Cause, RuntimeEvent.KillReason) -> Void
    ) {
        self.group = group
        self.node = node
        self.processID = processID
        self.kill = kill
        memory = ProcessMemory(of: processID)
    }

    /// Records that a task begins.
    package func beginTask() {
        tasks.withLock { $0 += 1 }
    }

    /// Records that a task has ended.
    package func endTask() {
        tasks.withLock { $0 -= 1 }
    }

    /// Whether a task answers for the death of the worker.
    var isExcused: Bool { tasks.withLock { $0 > 0 } }

    /// The memory of the worker's process in bytes, or nil if it is not known.
    package var memoryBytes: Int? { memory.bytes() }

    /// The CPU time of the worker's process, without the processes that it started, or nil if it is not known.
    package var cpuTime: Duration? { ProcessCPUTime.time(of: processID) }

    /// Ends the worker and its process group with SIGKILL, unless it is already being ended.
    ///
    /// - Parameters:
    ///   - limit: The name of the limit that the task has passed, which becomes the cause of the end.
    ///   - reason: What the task did, as a phrase for the log such as "ran for 10.0 seconds".
    package func end(forLimit limit: String, because reason: String) {
        kill(.limit(limit), .job(limit: limit, reason: reason))
    }
}

/// The workers that serve at the moment, by the IDs of their nodes.
final class ServingWorkers: Sendable {
    private let workers = Locked<[NodeID: ServingWorker]>([:])

    subscript(node: NodeID) -> ServingWorker? {
        get { workers.withLock { $0[node] } }
        set { workers.withLock { $0[node] = newValue } }
    }
}

extension Coordinator {
    /// Returns the worker with a node, or nil if none serves with it.
    package func servingWorker(_ node: NodeID) -> ServingWorker? { servingWorkers[node] }
}
