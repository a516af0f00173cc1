import Synchronization

/// Tasks that wait for something to change. Woken ones look again; a cancelled one stops waiting at once.
final class WaitingLine: Sendable {
    private struct Core {
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let core = Mutex(Core())

    /// - Throws: `CancellationError` if the task is cancelled.
    func wait(isolation: isolated (any Actor)? = #isolation) async throws {
        let number = core.withLock { core in
            core.last += 1
            return core.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = core.withLock { core in
                    if core.cancelled.remove(number) != nil { return true }
                    core.waiting[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = core.withLock { core in
                let continuation = core.waiting.removeValue(forKey: number)
                if continuation == nil { core.cancelled.insert(number) }
                return continuation
            }
            continuation?.resume(throwing: CancellationError())
        }
    }

    func wakeAll() {
        let woken = core.withLock { core in
            defer { core.waiting = [:] }
            return core.waiting
        }
        for continuation in woken.values { continuation.resume() }
    }
}
