/// The order of the operations on the clients that share a view state. A state machine without I/O.
///
/// Operations run one at a time on the caller that finds the queue idle. Later callers add theirs to the queue.
struct SharingQueue {
    typealias Job = @Sendable () -> Void

    private enum Work {
        /// Publishes a view state. A newer one may take its place.
        case show(Job)
        /// Another operation, which must not overtake a view state that was published earlier.
        case other(Job)

        var job: Job {
            switch self {
            case .show(let job), .other(let job): job
            }
        }
    }

    private enum State {
        /// No operation is running. The next one runs on its caller.
        case idle
        /// A caller publishes a view state, and then performs the waiting operations.
        case busy(waiting: [Work])
    }

    private var state = State.idle

    init() {}

    /// A Boolean value that indicates whether a caller publishes a view state or performs the operations that waited
    /// for it.
    var isBusy: Bool { if case .busy = state { true } else { false } }

    /// Adds the publication of a view state.
    ///
    /// If others wait, only the newest remains, in the place of the oldest. Operations after that place may see a newer
    /// state than before.
    ///
    /// - Returns: A Boolean value that indicates whether the caller must run the job, and then those of ``next()``. If
    ///   it is false, another caller does.
    mutating func show(_ job: @escaping Job) -> Bool {
        guard case .busy(var waiting) = state else {
            state = .busy(waiting: [])
            return true
        }
        let place = waiting.firstIndex { if case .show = $0 { true } else { false } }
        if let place { waiting[place] = .show(job) } else { waiting.append(.show(job)) }
        state = .busy(waiting: waiting)
        return false
    }

    /// Adds an operation that runs after the view states that were published so far.
    ///
    /// - Returns: A Boolean value that indicates whether no other operation is waiting or running, so that the caller
    ///   must run the job. If it is false, another caller does.
    mutating func perform(_ job: @escaping Job) -> Bool {
        guard case .busy(var waiting) = state else { return true }
        state = .idle
        waiting.append(.other(job))
        state = .busy(waiting: waiting)
        return false
    }

    /// Returns the jobs to run next, in this order, or nil if none is waiting. After nil the queue is idle.
    mutating func next() -> [Job]? {
        guard case .busy(let waiting) = state, !waiting.isEmpty else {
            state = .idle
            return nil
        }
        state = .busy(waiting: [])
        return waiting.map(\.job)
    }
}
