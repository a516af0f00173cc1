import LatticeConcurrency

/// Hands what a view model shows to those who wait for it.
final class ViewStateFeed<ViewState: Sendable>: Sendable {
    struct News: Sendable {
        let state: ViewState
        /// Grows with each state.
        let number: UInt64
    }

    private struct Core {
        var news: News
        var isFinished = false
        var waiters = Waiters<News?>()
    }

    private let core: Locked<Core>

    init(_ state: ViewState) {
        core = Locked(Core(news: News(state: state, number: 1)))
    }

    func publish(_ state: ViewState) {
        let (news, waiters) = core.withLock { core in
            core.news = News(state: state, number: core.news.number + 1)
            return (core.news, core.waiters.takeAll())
        }
        waiters.resume(returning: news)
    }

    /// There is nothing to come.
    func finish() {
        let waiters = core.withLock { core in
            core.isFinished = true
            return core.waiters.takeAll()
        }
        waiters.resume(returning: nil)
    }

    /// The latest state, as soon as its number is higher than `number`; nil when none is to come, or when the task is
    /// cancelled.
    func next(after number: UInt64, isolation: isolated (any Actor)?) async -> News? {
        guard !Task.isCancelled else { return nil }
        let waiter = core.withLock { $0.waiters.makeID() }
        return await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    wait(waiter, after: number, continuation)
                }
            },
            onCancel: { core.withLock { $0.waiters.take(waiter) }?.resume(returning: nil) },
            isolation: isolation
        )
    }

    private func wait(_ waiter: Waiters<News?>.ID, after number: UInt64, _ continuation: Waiters<News?>.Continuation) {
        let answer: News?? = core.withLock { core in
            if core.news.number > number, !Task.isCancelled { return core.news }
            return !core.isFinished && core.waiters.add(continuation, as: waiter) ? .none : .some(nil)
        }
        if let answer { continuation.resume(returning: answer) }
    }
}
