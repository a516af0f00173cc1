import LatticeConcurrency

/// Lets nobody go on before all have come.
final class Meeting: Sendable {
    private struct Core {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []

        /// Those who may go on: all of them, when the last has come.
        mutating func add(_ one: CheckedContinuation<Void, Never>) -> [CheckedContinuation<Void, Never>] {
            waiting.append(one)
            missing -= 1
            guard missing == 0 else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let core: Locked<Core>

    init(of count: Int) {
        core = Locked(Core(missing: count))
    }

    func arrive() async {
        await withCheckedContinuation { continuation in
            for waiter in core.withLock({ $0.add(continuation) }) { waiter.resume() }
        }
    }
}
