import LatticeConcurrency
import LatticeTransport

/// Looks at the memory of one worker again and again, until that has too much or has ended.
final class MemoryWatch: Sendable {
    /// How many milliseconds pass between two looks, each of which takes some microseconds.
    static let interval: Int64 = 100

    private enum State {
        case idle
        case watching(measure: @Sendable () -> Int?)
        case passed
        case ended
    }

    private let limits: WorkerLimits
    private let eventLoop: any EventLoop
    private let state = Locked(State.idle)

    init(_ limits: WorkerLimits, eventLoop: any EventLoop) {
        self.limits = limits
        self.eventLoop = eventLoop
    }

    /// Begins, unless there is no limit: then nobody is woken.
    ///
    /// - Parameters:
    ///   - measure: How many bytes the worker has; nil: that cannot be told now. Called on the loop's thread.
    ///   - onPassed: Called once, there, when they are too many, with their number and the limit.
    func start(
        _ measure: @escaping @Sendable () -> Int?,
        onPassed: @escaping @Sendable (_ bytes: Int, _ limit: Int) -> Void
    ) {
        guard let limit = limits.memoryBytes else { return }
        state.withLock { state in
            if case .idle = state { state = .watching(measure: measure) }
        }
        eventLoop.execute { [self] in look(limit, onPassed) }
    }

    private func look(_ limit: Int, _ onPassed: @escaping @Sendable (Int, Int) -> Void) {
        let measure = state.withLock { state -> (@Sendable () -> Int?)? in
            if case .watching(let measure) = state { measure } else { nil }
        }
        guard let measure else { return }
        if let bytes = measure(), limits.arePassed(byMemory: bytes) {
            let isNews = state.withLock { state in
                guard case .watching = state else { return false }
                state = .passed
                return true
            }
            if isNews { onPassed(bytes, limit) }
            return
        }
        eventLoop.after(milliseconds: Self.interval) { [self] in look(limit, onPassed) }
    }

    /// The worker has ended, and is not looked at any more.
    ///
    /// - Returns: Whether it had too much before.
    func end() -> Bool {
        state.withLock { state in
            defer { state = .ended }
            return if case .passed = state { true } else { false }
        }
    }
}
