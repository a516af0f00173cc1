import LatticeConcurrency

/// Hands what a view model shows to those who wait for it.
final class ViewStateFeed<ViewState: Sendable>: Sendable {
    struct News: Sendable {
        let state: ViewState
        /// Grows with each state.
        let number: UInt64
    }

    fileprivate struct Core {
        var news: News
        var isFinished = false
        var waiters: [UInt64: CheckedContinuation<News?, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let core: Locked<Core>

    init(_ state: ViewState) {
        core = Locked(Core(news: News(state: state, number: 1)))
    }

    func publish(_ state: ViewState) {
        let (news, waiters) = core.withLock { core in
            core.news = News(state: state, number: core.news.number + 1)
            return (core.news, core.takeWaiters())
        }
        for waiter in waiters { waiter.resume(returning: news) }
    }

    /// There is nothing to come.
    func finish() {
        let waiters = core.withLock { core in
            core.isFinished = true
            return core.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// The latest state, as soon as its number is higher than `number`; nil when none is to come, or when the task is
    /// cancelled.
    func next(after number: UInt64, isolation: isolated (any Actor)?) async -> News? {
        guard !Task.isCancelled else { return nil }
        let waiter = core.withLock { core in
            core.lastWaiter += 1
            return core.lastWaiter
        }
        return await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    wait(waiter, after: number, continuation)
                }
            },
            onCancel: { core.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil) },
            isolation: isolation
        )
    }

    private func wait(_ waiter: UInt64, after number: UInt64, _ continuation: CheckedContinuation<News?, Never>) {
        let answer: News?? = core.withLock { core in
            // Looked at under the lock that the handler of the cancellation takes, so that it finds the waiter.
            if Task.isCancelled { return .some(nil) }
            if core.news.number > number { return core.news }
            if core.isFinished { return .some(nil) }
            core.waiters[waiter] = continuation
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }
}

extension ViewStateFeed.Core {
    fileprivate mutating func takeWaiters() -> [CheckedContinuation<ViewStateFeed.News?, Never>] {
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}
