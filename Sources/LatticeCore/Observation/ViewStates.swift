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
