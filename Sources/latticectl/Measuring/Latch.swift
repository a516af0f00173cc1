import LatticeConcurrency

/// Lets nobody go on before all have come; they go on in the order in which they came.
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
