/// What is to be done for those who share a view state, in its order: a state machine without I/O.
struct SharingQueue {
    typealias Job = @Sendable () -> Void

    private enum Work {
        /// Shows a view state.
        case show(Job)
        /// Must not go before a view state that was shown earlier.
        case other(Job)

        var job: Job {
            switch self {
            case .show(let job), .other(let job): job
            }
        }
    }

    private enum State {
        /// Nobody is at work: what comes is done where it comes.
        case idle
        /// Somebody shows a view state, and then does what waits.
        case busy(waiting: [Work])
    }

    private var state = State.idle

    init() {}

    /// Whether somebody shows a view state, or does what waits behind that.
    var isBusy: Bool { if case .busy = state { true } else { false } }

    /// There is a newer view state. Of those that wait only the newest is shown, in the place of the oldest: what waits
    /// behind that may come later, and sees a newer state.
    ///
    /// - Returns: Whether the caller is to do it, and then what is ``next()``; else somebody does.
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

    /// Something is to be done behind the view states that were shown so far.
    ///
    /// - Returns: Whether nothing is in front of it, so that the caller is to do it; else somebody does.
    mutating func perform(_ job: @escaping Job) -> Bool {
        guard case .busy(var waiting) = state else { return true }
        state = .idle
        waiting.append(.other(job))
        state = .busy(waiting: waiting)
        return false
    }

    /// What is to be done now, in this order; nil: nothing waits, and nobody is at work any more.
    mutating func next() -> [Job]? {
        guard case .busy(let waiting) = state, !waiting.isEmpty else {
            state = .idle
            return nil
        }
        state = .busy(waiting: [])
        return waiting.map(\.job)
    }
}
