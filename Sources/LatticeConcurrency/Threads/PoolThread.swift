import CLatticeThreads
import Synchronization

extension ThreadPool {
    /// The work that a thread runs next.
    enum Work: Sendable {
        case job(UnownedJob)
        /// The first job of a task that waits in the pool. It may be cancelled before it runs.
        case first(PooledTask)
        /// A later job of such a task.
        case later(PooledTask, UnownedJob)

        /// Takes the job, or returns nil if the task was cancelled.
        func take() -> (job: UnownedJob, task: PooledTask?)? {
            switch self {
            case .job(let job): (job, nil)
            case .first(let task): task.take().map { ($0, task) }
            case .later(let task, let job): (job, task)
            }
        }

        /// A Boolean value that indicates whether the task was cancelled, so that the work does nothing.
        var isCancelled: Bool { if case .first(let task) = self { task.isCancelled } else { false } }
    }

    /// A thread of a pool.
    final class PoolThread: @unchecked Sendable {
        // The conformance is unchecked. `niceness` and `number` are used inside the lock of the pool. `next` is set by
        // the thread that wakes this one, before the wake-up.
        let parking = Parking()
        let isSetAside = Atomic(false)
        var niceness: Int32 = 0
        /// The number that the system gave the thread, or 0 before the thread has begun.
        private var number: Int32 = 0
        var next: Work?

        /// Sets the scheduling of the calling thread, which is this one.
        /// - Parameter computing: The niceness of the thread if it only computes, or nil.
        func begin(computing: Int32?) {
            number = lattice_thread_number()
            if let computing {
                lattice_thread_is_patient(number, computing)
            } else if isSetAside.load(ordering: .relaxed) {
                lattice_thread_computes(number, niceness)
            } else {
                lattice_thread_is_brief(number)
            }
        }

        func setAside(niceness: Int32) {
            isSetAside.store(true, ordering: .relaxed)
            self.niceness = max(niceness, self.niceness)
            if number != 0 { lattice_thread_computes(number, niceness) }
        }

        func takeBack() {
            isSetAside.store(false, ordering: .relaxed)
            lattice_thread_is_brief(number)
        }
    }
}
