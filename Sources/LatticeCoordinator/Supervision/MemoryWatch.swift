import LatticeConcurrency
import LatticeTransport

/// Measures the memory of one worker repeatedly, until it exceeds its limit or the worker has ended.
final class MemoryWatch: Sendable {
    /// The interval between two measurements, in milliseconds. A measurement takes some microseconds.
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

    /// Starts the measurements. If there is no limit, does nothing and causes no wake-ups.
    ///
    /// - Parameters:
    ///   - measure: Returns the number of bytes that the worker uses, or nil if it cannot be determined now. Called on
    ///     the event loop's thread.
    ///   - onPassed: Called once on the event loop's thread when the limit is exceeded, with the number of bytes and
    ///     the limit.
    func start(
        _ measure: @escaping @Sendable () -> Int?,
        onPassed: @escaping @Sendable (_ bytes: Int, _ limit: Int) -> Void
    ) {
        guard let limit = limits.memoryBytes else { return }
        state.withLock { state in
            if case .idle = state { state = .watching(measure: measure) }
        }
        eventLoop.execute { [self] in check(limit, onPassed) }
    }

    private func check(_ limit: Int, _ onPassed: @escaping @Sendable (Int, Int) -> Void) {
        let measure = state.withLock { state -> (@Sendable () -> Int?)? in
            if case .watching(let measure) = state { measure } else { nil }
        }
        guard let measure else { return }
        if let bytes = measure(), limits.arePassed(byMemory: bytes) {
            let isFirst = state.withLock { state in
                guard case .watching = state else { return false }
                state = .passed
                return true
            }
            if isFirst { onPassed(bytes, limit) }
            return
        }
        eventLoop.after(milliseconds: Self.interval) { [self] in check(limit, onPassed) }
    }

    /// Stops the measurements because the worker has ended.
    ///
    /// - Returns: Whether the worker had exceeded its limit before.
    func end() -> Bool {
        state.withLock { state in
            defer { state = .ended }
            return if case .passed = state { true } else { false }
        }
    }
}
