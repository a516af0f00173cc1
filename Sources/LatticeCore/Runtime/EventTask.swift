/// Stands for one sent event: its effects, the effects of the actions those emit, and so on.
public struct EventTask: Sendable {
    private enum Storage: Sendable {
        /// Over when `send` returned; the usual case, without an allocation.
        case ended(EventOutcome)
        case tracked(EventCompletion, EventID?)
    }

    private let storage: Storage

    private var completion: EventCompletion? {
        if case .tracked(let completion, _) = storage { completion } else { nil }
    }

    /// An event that is over already.
    package init(ended outcome: EventOutcome) {
        storage = .ended(outcome)
    }

    /// An event whose outcome comes through `completion`.
    /// - Parameter id: its name, if it leaves this process.
    package init(completion: EventCompletion, id: EventID? = nil) {
        storage = .tracked(completion, id)
    }

    /// The name of the event, as `EventID.current` has it wherever the event is handled. Nil for an event that does not
    /// leave this process, and for one that was rejected before it could.
    public var id: EventID? {
        if case .tracked(_, let id) = storage { id } else { nil }
    }

    /// Cancels all effects of the event, started or not. A state, not a request: what has not started never starts,
    /// and results that come later are dropped. The actions handled so far stay handled.
    public func cancel() {
        completion?.cancel()
    }

    /// See ``EventCompletion/after(_:_:)``.
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        completion?.after(delay, work)
    }

    /// Waits until the event has ended. Cancelling the task that waits cancels the event.
    ///
    /// An event that was cancelled is over at once. This returns when its effects have returned too, so that nothing of
    /// it runs any more; effects that do not listen to their cancellation are waited for until 100 ms after it, and
    /// those in another process not at all.
    /// - Parameter isolation: the caller's, so that waiting costs no change of thread; leave it out.
    @discardableResult
    public func finish(isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        await finish(cancellationGrace: RuntimeLimits.cancellationGrace)
    }

    /// The same for who has no use for the outcome, and wants a function without a result.
    @_disfavoredOverload
    public func finish(isolation: isolated (any Actor)? = #isolation) async {
        await finish(cancellationGrace: RuntimeLimits.cancellationGrace)
    }

    /// - Parameter cancellationGrace: how long cancelled effects are waited for at most; by zero not at all.
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

    /// Whether the event was cancelled, by this task, by cancelling who waits for it, or with its view model.
    public var isCancelled: Bool {
        completion?.isCancelled ?? (outcome == .cancelled)
    }

    /// Whether the event asked for effects anywhere in its tree; true as long as that is not known, and after they
    /// ended.
    public var hasEffects: Bool {
        completion?.hasEffects ?? false
    }

    /// Whether this is the task of the event that ends with `completion`.
    package func isEnded(by completion: EventCompletion) -> Bool {
        self.completion === completion
    }

    /// The outcome, or nil while the event runs.
    package var outcome: EventOutcome? {
        switch storage {
        case .ended(let outcome): outcome
        case .tracked(let completion, _): completion.outcome
        }
    }

    /// Calls `body` exactly once with the outcome: at once if the event has ended, else on the thread that ends it.
    /// `body` must not block.
    package func onCompletion(_ body: @escaping @Sendable (EventOutcome) -> Void) {
        switch storage {
        case .ended(let outcome): body(outcome)
        case .tracked(let completion, _): completion.onCompletion(body)
        }
    }
}
