import LatticeConcurrency

/// An asynchronous sequence of the view states that a view model shows: the current one, and then each change.
///
/// ```swift
/// for await state in viewModel.viewStates {
///     print(state.text)
/// }
/// ```
///
/// A reader that is slower than the changes receives the latest state and not the ones in between. Two consecutive
/// states always differ. Nothing is buffered, regardless of the number of readers.
///
/// The sequence ends after the last state when the view model is deallocated, or when the reading task is cancelled.
/// The sequence does not retain the view model. Keep a reference to the view model as long as you want to read, or its
/// effects are cancelled and the loop ends. A task that should end together with the view model captures the sequence
/// and not the view model:
///
/// ```swift
/// Task { [states = viewModel.viewStates] in
///     for await state in states { … }
/// }
/// ```
public struct ViewStates<ViewState: Sendable>: AsyncSequence, Sendable {
    let feed: ViewStateFeed<ViewState>

    /// Returns an iterator that starts with the current state.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: feed)
    }

    /// An iterator over view states, which is independent of other iterators.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: ViewStateFeed<ViewState>
        private var read: UInt64 = 0

        init(feed: ViewStateFeed<ViewState>) {
            self.feed = feed
        }

        /// Returns the next state that this iterator has not returned, or nil at the end of the sequence.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ViewState? {
            guard let update = await feed.next(after: read, isolation: actor) else { return nil }
            read = update.number
            return update.state
        }
    }
}

@available(*, unavailable)
extension ViewStates.Iterator: Sendable {}

/// Delivers the states that a view model shows to the readers that wait for them.
final class ViewStateFeed<ViewState: Sendable>: Sendable {
    struct Update: Sendable {
        let state: ViewState
        /// The number of the update, which grows with each state.
        let number: UInt64
    }

    private struct Core {
        var latest: Update
        var isFinished = false
        var waiters = Waiters<Update?>()
    }

    private let core: Locked<Core>

    init(_ state: ViewState) {
        core = Locked(Core(latest: Update(state: state, number: 1)))
    }

    /// Delivers a new state.
    func publish(_ state: ViewState) {
        let (update, waiters) = core.withLock { core in
            core.latest = Update(state: state, number: core.latest.number + 1)
            return (core.latest, core.waiters.takeAll())
        }
        waiters.resume(returning: update)
    }

    /// Ends the sequence.
    func finish() {
        let waiters = core.withLock { core in
            core.isFinished = true
            return core.waiters.takeAll()
        }
        waiters.resume(returning: nil)
    }

    /// Returns the latest state as soon as its number is higher than `number`. The result is nil at the end of the
    /// sequence, or if the task is cancelled.
    func next(after number: UInt64, isolation: isolated (any Actor)?) async -> Update? {
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

    private func wait(
        _ waiter: Waiters<Update?>.ID,
        after number: UInt64,
        _ continuation: Waiters<Update?>.Continuation
    ) {
        let answer: Update?? = core.withLock { core in
            if core.latest.number > number, !Task.isCancelled { return core.latest }
            return !core.isFinished && core.waiters.add(continuation, as: waiter) ? .none : .some(nil)
        }
        if let answer { continuation.resume(returning: answer) }
    }
}
