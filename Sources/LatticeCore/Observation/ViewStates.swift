import LatticeConcurrency

/// What a view model shows, one view state after another: first the present one, then each change.
///
/// ```swift
/// for await state in viewModel.viewStates {
///     print(state.text)
/// }
/// ```
///
/// A reader that is slower than the changes gets the latest state and not those in between; two states in a row are
/// never the same. Nothing is buffered, however many readers there are.
///
/// Reading ends when the view model goes, after its last state, and when the task that reads is cancelled. It does not
/// keep the view model: what is to be read for long has to be kept by somebody, or its effects are cancelled and the
/// loop ends. A task that should end with the view model captures the sequence and not the model:
///
/// ```swift
/// Task { [states = viewModel.viewStates] in
///     for await state in states { … }
/// }
/// ```
public struct ViewStates<ViewState: Sendable>: AsyncSequence, Sendable {
    let feed: ViewStateFeed<ViewState>

    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: feed)
    }

    /// Reads by itself, from the present state on.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: ViewStateFeed<ViewState>
        private var read: UInt64 = 0

        init(feed: ViewStateFeed<ViewState>) {
            self.feed = feed
        }

        /// The first state that this iterator has not returned; nil when there is none to come.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ViewState? {
            guard let news = await feed.next(after: read, isolation: actor) else { return nil }
            read = news.number
            return news.state
        }
    }
}

@available(*, unavailable)
extension ViewStates.Iterator: Sendable {}

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
