import Synchronization

/// Tasks that wait for something to change. A change wakes all of them, and each looks again.
///
/// Whoever waits takes a ticket before it looks at what may change. Between the look and the wait the task may lose its
/// thread, and its actor; a change in that time is not missed, because the ticket is then out of date.
final class WaitingLine: Sendable {
    /// How many changes there had been when somebody was about to look.
    struct Ticket {
        fileprivate let changes: Int
    }

    private struct Core {
        var changes = 0
        var last = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let core = Mutex(Core())

    func takeTicket() -> Ticket {
        core.withLock { Ticket(changes: $0.changes) }
    }

    /// Returns when there was a change after the ticket was taken; that may have been long ago.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func wait(with ticket: Ticket) async throws {
        let number = core.withLock { core in
            core.last += 1
            return core.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = core.withLock { core in
                    // Looked at under the lock that the handler of the cancellation takes, so that it finds the waiter.
                    if core.changes != ticket.changes || Task.isCancelled { return true }
                    core.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            core.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
        try Task.checkCancellation()
    }

    /// Says that something has changed.
    func wakeAll() {
        let woken = core.withLock { core in
            core.changes += 1
            defer { core.waiting = [:] }
            return core.waiting
        }
        for continuation in woken.values { continuation.resume() }
    }
}
