import Synchronization

/// Suspends tasks until something has changed. A change resumes all of them, and each one checks its condition again.
///
/// A task takes a ticket before it checks its condition. Between the check and the wait, the task may lose its thread
/// or its actor. A change during that time is not missed, because it makes the ticket outdated.
final class WaitingLine: Sendable {
    /// The number of changes before a task has checked its condition.
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

    /// Waits until there has been a change since the ticket was taken. Returns immediately if there already was one.
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
                    // The cancellation handler takes the same lock, so it finds the waiter.
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

    /// Reports a change and resumes all waiting tasks.
    func wakeAll() {
        let woken = core.withLock { core in
            core.changes += 1
            defer { core.waiting = [:] }
            return core.waiting
        }
        for continuation in woken.values { continuation.resume() }
    }
}
