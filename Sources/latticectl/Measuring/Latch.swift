import LatticeConcurrency

/// Lets nobody go on before all have come.
final class Latch: Sendable {
    private struct Core {
        var missing: Int
        var waiters = Waiters<Void>()
    }

    private let core: Locked<Core>

    init(of count: Int) {
        core = Locked(Core(missing: count))
    }

    func arrive() async {
        await withCheckedContinuation { continuation in
            let ready = core.withLock { core -> Waiters<Void>? in
                core.waiters.add(continuation)
                core.missing -= 1
                return core.missing == 0 ? core.waiters.takeAll() : nil
            }
            ready?.resume()
        }
    }
}
