import DequeModule

/// The order of the operations on the clients that share a view state. A state machine without I/O.
///
/// Operations run one at a time. One that begins while another one runs waits for it.
struct SharingQueue {
    /// An operation, which begins on the event loop.
    typealias Operation = @Sendable () -> Step

    /// What follows a part of an operation.
    enum Step {
        /// Nothing. The operation has ended.
        case done
        /// A part that takes long and runs on a coding thread, and then the part that it returns, on the event loop.
        case compute(@Sendable () -> Operation)
    }

    private struct Waiting {
        let operation: Operation
        /// A Boolean value that indicates whether the operation shows a view state. A newer one may take its place.
        let shows: Bool
    }

    private enum State {
        /// No operation is running. The next one begins at once.
        case idle
        /// An operation is running, and then the waiting ones follow.
        case busy(Deque<Waiting>)
    }

    private var state = State.idle

    init() {}

    /// A Boolean value that indicates whether an operation is running.
    var isBusy: Bool { if case .busy = state { true } else { false } }

    /// Begins an operation if none is running.
    ///
    /// - Returns: A Boolean value that indicates whether the caller must run the operation and then those of
    ///   ``next()``.
    mutating func begin() -> Bool {
        guard case .idle = state else { return false }
        state = .busy([])
        return true
    }

    /// Adds an operation that waits until the earlier ones have ended. Call this only while an operation is running.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - shows: A Boolean value that indicates whether the operation shows a view state. If others of this kind wait,
    ///     only the newest remains, in the place of the oldest. Operations after that place may see a newer state.
    mutating func add(_ operation: @escaping Operation, shows: Bool) {
        guard case .busy(var waiting) = state else { preconditionFailure("An operation waits only for another one.") }
        // The queue is changed in place, because nothing else refers to it.
        state = .idle
        let new = Waiting(operation: operation, shows: shows)
        if shows, let place = waiting.firstIndex(where: \.shows) { waiting[place] = new } else { waiting.append(new) }
        state = .busy(waiting)
    }

    /// Ends the running operation.
    ///
    /// - Returns: The operation that is running now, or nil if none waited.
    mutating func next() -> Operation? {
        guard case .busy(var waiting) = state else { return nil }
        state = .idle
        guard let next = waiting.popFirst() else { return nil }
        state = .busy(waiting)
        return next.operation
    }
}
