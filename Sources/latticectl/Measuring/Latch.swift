import LatticeConcurrency

/// Lets nobody go on before all have come.
final class Latch: Sendable {
    private let missing: Locked<Int>
    private let opened = OneShot<Void>()

    init(of count: Int) {
        missing = Locked(count)
    }

    func arrive() async {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { opened.complete() }
        await opened.wait()
    }
}
