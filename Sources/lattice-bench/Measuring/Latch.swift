import LatticeConcurrency

/// A barrier that suspends tasks until a number of tasks have arrived. They continue in the order of their arrival.
final class Latch: Sendable {
    private struct Core {
        var missing: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let core: Locked<Core>

    init(of count: Int) {
        core = Locked(Core(missing: count))
    }

    func arrive() async {
        await withCheckedContinuation { continuation in
            let ready = core.withLock { core -> [CheckedContinuation<Void, Never>] in
                core.waiting.append(continuation)
                core.missing -= 1
                guard core.missing == 0 else { return [] }
                defer { core.waiting = [] }
                return core.waiting
            }
            for waiter in ready { waiter.resume() }
        }
    }
}
