/// A sent event, with its effects, the effects of the actions that these emit, and so on.
public struct EventTask: Sendable {
    private enum Storage: Sendable {
        /// The event had ended when `send` returned. This is the usual case, and needs no allocation.
        case ended(EventOutcome)
        case tracked(EventCompletion, EventID?)
    }

    private let storage: Storage

    private var completion: EventCompletion? {
        if case .tracked(let completion, _) = storage { completion } else { nil }
    }

    /// Creates the task of an event that has ended.
    package init(ended outcome: EventOutcome) {
        storage = .ended(outcome)
    }

    /// Creates the task of an event whose outcome arrives through `completion`.
    /// - Parameter id: The ID of the event, if the event leaves this process.
    package init(completion: EventCompletion, id: EventID? = nil) {
        storage = .tracked(completion, id)
    }

    /// The ID of the event, which is the value of `EventID.current` wherever the event is handled. It is nil for an
    /// event that does not leave this process, and for an event that was rejected before it left.
    public var id: EventID? {
        if case .tracked(_, let id) = storage { id } else { nil }
    }

    /// Cancels all effects of the event. Effects that have not started never start, and results that arrive later are
    /// dropped. Actions that were handled before stay handled.
    ///
    /// The event ends as ``EventOutcome/cancelled(_:)`` in bounded time, even if its effects ignore their cancellation.
    /// In this process it ends at once. In a worker it ends when the worker has received the cancellation, or when the
    /// worker is ended because it does not respond. An event that has ended keeps its outcome.
    ///
    /// Only the first cancellation of an event counts. An effect that continues for a while is reported, see
    /// ``RuntimeEvent/effectsLinger(_:effects:after:)``. To end the worker of such an effect, use
    /// ``Emission/whenCancelled(endingWorkerAfter:clock:)``.
    /// - Parameter reason: The reason in words, which the outcome contains.
    public func cancel(reason: String = "") {
        cancel(Cancellation(by: .sender, reason: reason))
    }

    /// Cancels the event on behalf of something else than its sender.
    package func cancel(_ cancellation: Cancellation) {
        completion?.cancel(cancellation)
    }

    /// The first cancellation of the event, or nil if it was not cancelled.
    package var cancellation: Cancellation? { completion?.cancellation ?? outcome?.cancellation }

    /// Calls `work` after a delay, unless the event has ended by then. See ``EventCompletion/after(_:_:)``.
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        completion?.after(delay, work)
    }

    /// Waits until the event has ended, and returns its outcome. Cancelling the waiting task cancels the event.
    ///
    /// A cancelled event ends at once. This method returns when its effects have returned too, so that nothing of the
    /// event runs any more. If effects ignore their cancellation, it waits for them for at most 100 ms. It does not
    /// wait for cancelled effects in another process.
    /// - Parameter isolation: The isolation of the caller, so that waiting needs no change of thread. Omit this
    ///   argument.
    @discardableResult
    public func finish(isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        await finish(cancellationGrace: RuntimeLimits.cancellationGrace)
    }

    /// Waits until the event has ended, for callers that need a function without a result.
    @_disfavoredOverload
    public func finish(isolation: isolated (any Actor)? = #isolation) async {
        await finish(cancellationGrace: RuntimeLimits.cancellationGrace)
    }

    /// Waits until the event has ended.
    /// - Parameter cancellationGrace: The maximum time to wait for cancelled effects. If it is zero, the method does
    ///   not wait for them.
    @discardableResult
    package func finish(
        cancellationGrace: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async -> EventOutcome {
        switch storage {
        case .ended(let outcome): outcome
        case .tracked(let completion, _): await completion.finish(cancellationGrace: cancellationGrace)
        }
    }

    /// The outcome, or nil until the event has ended.
    ///
    /// Reading it takes one lock and never waits, so you can look at many tasks. You can read it on any thread. To wait
    /// for the outcome, use ``finish(isolation:)->EventOutcome``.
    public var outcome: EventOutcome? {
        switch storage {
        case .ended(let outcome): outcome
        case .tracked(let completion, _): completion.outcome
        }
    }

    /// A Boolean value that indicates whether the event was cancelled: through this task, by cancelling a task that
    /// waits for it, or with its view model.
    public var isCancelled: Bool {
        completion?.isCancelled ?? (outcome == .cancelled)
    }

    /// A Boolean value that indicates whether the event started effects anywhere in its tree. It is true while that is
    /// not known, and stays true after the effects have ended.
    public var hasEffects: Bool {
        completion?.hasEffects ?? false
    }

    /// Returns whether this is the task of the event that ends with `completion`.
    package func isEnded(by completion: EventCompletion) -> Bool {
        self.completion === completion
    }

    /// Calls `body` exactly once with the outcome: immediately if the event has ended, else on the thread that ends it.
    /// `body` must not block.
    package func onCompletion(_ body: @escaping @Sendable (EventOutcome) -> Void) {
        switch storage {
        case .ended(let outcome): body(outcome)
        case .tracked(let completion, _): completion.onCompletion(body)
        }
    }
}
