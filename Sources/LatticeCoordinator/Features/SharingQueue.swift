/// The order of the operations on the clients that share a view state. A state machine without I/O.
///
/// Operations run one at a time, on the caller that finds the queue idle. Later callers add theirs to the queue.
struct SharingQueue {
    typealias Job = @Sendable () -> Void

    /// An operation that waits.
    struct Work {
        let job: Job
        /// A Boolean value that indicates whether the operation takes long and runs on a coding thread.
        let isLong: Bool
        /// A Boolean value that indicates whether the operation shows a view state. A newer one may take its place.
        fileprivate var shows = false
    }

    private enum State {
        /// No operation is running. The next one runs on its caller.
        case idle
        /// A caller performs an operation, and then the waiting ones.
        case busy(waiting: [Work])
    }

    private var state = State.idle

    init() {}

    /// A Boolean value that indicates whether an operation is running.
    var isBusy: Bool { if case .busy = state { true } else { false } }

    /// Begins an operation if none is running.
    ///
    /// - Returns: A Boolean value that indicates whether the caller must perform the operation, and then those of
    ///   ``next()``.
    mutating func begin() -> Bool {
        guard case .idle = state else { return false }
        state = .busy(waiting: [])
        return true
    }

    /// Begins an operation that shows a view state, or adds it to the queue.
    ///
    /// If others wait, only the newest remains, in the place of the oldest. Operations after that place may see a newer
    /// state than before.
    ///
    /// - Returns: A Boolean value that indicates whether the caller must run the job, and then those of ``next()``. If
    ///   it is false, another caller does.
    mutating func show(isLong: Bool, _ job: @escaping Job) -> Bool {
        add(Work(job: job, isLong: isLong, shows: true))
    }

    /// Begins an operation, or adds it to the queue behind the earlier ones.
    ///
    /// - Returns: A Boolean value that indicates whether the caller must run the job, and then those of ``next()``. If
    ///   it is false, another caller does.
    mutating func perform(isLong: Bool, _ job: @escaping Job) -> Bool {
        add(Work(job: job, isLong: isLong))
    }

    private mutating func add(_ work: Work) -> Bool {
        guard case .busy(var waiting) = state else { return begin() }
        // The array is changed in place, because nothing else refers to it.
        state = .idle
        if work.shows, let place = waiting.firstIndex(where: \.shows) {
            waiting[place] = work
        } else {
            waiting.append(work)
        }
        state = .busy(waiting: waiting)
        return false
    }

    /// Returns the operations to perform next, in this order, or nil if none is waiting. After nil the queue is idle.
    mutating func next() -> [Work]? {
        guard case .busy(let waiting) = state, !waiting.isEmpty else {
            state = .idle
            return nil
        }
        state = .busy(waiting: [])
        return waiting
    }
}
