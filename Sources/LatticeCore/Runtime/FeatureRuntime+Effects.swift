import IssueReporting
import LatticeConcurrency

extension FeatureRuntime {
    /// Starts the only task of an effect.
    func start(_ effect: Effect) {
        // The task inherits task-locals on purpose: tracing, and the expectations of tests, belong to the sender of the
        // event.
        if let onEffectStart { effect.onWork = onEffectStart() }
        let task = beginSpan(of: effect).around { makeTask(of: effect) }
        effect.tree.add(task, effect: effect.id)
    }

    /// Creates a task that runs the work off the isolation and then delivers the result on the isolation. This takes
    /// two changes of threads in all.
    private func makeTask(of effect: Effect) -> Task<Void, Never> {
        let isolation = isolation
        let running = RunningEffect(effect: effect, isolation: isolation) { [weak self] in self }
        let begun = running.begin()
        func make() -> Task<Void, Never> {
            Task(executorPreference: ThreadPool.shared) {
                let result = await running.work(begun)
                effect.span?.end(SpanEnd(result))
                effect.tree.leave(effect: effect.id)
                await running.complete(result, on: isolation)
            }
        }
        // An effect that has begun, such as a timeout whose time is running, does not queue behind effects that have
        // not.
        return begun == nil ? ThreadPool.begin(make) : make()
    }
}

/// A running effect and the destination of its results. It does not retain the runtime.
private struct RunningEffect<State: Sendable, Action: Sendable>: Sendable {
    let effect: Effect
    let isolation: any Actor
    let runtime: @Sendable () -> FeatureRuntime<State, Action>?

    var emission: Emission<Action> { Emission(effect.emission) }

    var send: Send<Action> {
        Send { action in await forward(action, on: isolation) }
    }

    /// Begins the effect on the isolation, if its start matters or if it runs on separate threads.
    func begin() -> Emission<Action>.Work? {
        let emission = emission
        let starter = emission.threads == nil ? emission.starter : emission.anyStarter
        return starter?(send, emission.threads)
    }

    /// Runs the work, off the isolation.
    @concurrent
    func work(_ begun: Emission<Action>.Work?) async -> Result<Action?, any Error> {
        defer { effect.onWork?() }
        do {
            // An effect that is cancelled before it began never begins. An effect that has begun is called anyway, so
            // that it can end what it began.
            guard begun != nil || !(Task.isCancelled || effect.tree.isOver) else { throw CancellationError() }
            if let begun {
                effect.onWork?()
                return .success(try await begun())
            }
            switch emission.kind {
            case .perform(let work):
                effect.onWork?()
                return .success(await work())
            case .attempt(let work):
                effect.onWork?()
                return .success(try await work())
            case .run(let work):
                effect.onWork?()
                try await work(send)
            case .observe(let open):
                let elements = await open()
                effect.onWork?()
                await read(elements)
            // No effects, so they never come here.
            case .none, .action, .merge, .append, .cancellable, .cancel, .reject: break
            }
            return .success(nil)
        } catch {
            if !(error is CancellationError), !effect.tree.isOver { reportFailure(error) }
            return .failure(error)
        }
    }

    /// Reads a stream off the isolation, while its elements are delivered to the isolation.
    @concurrent
    private func read(_ elements: AsyncStream<Action>) async {
        let queue = ElementQueue<Action>()
        async let delivered: Void = deliver(queue, on: isolation)
        // A cancelled stream still returns its buffered elements, so cancellation is checked for each element.
        for await element in elements {
            guard !Task.isCancelled else { break }
            await queue.add(element)
        }
        queue.finish()
        await delivered
    }

    /// Delivers the elements of a stream on the isolation, until the stream ends.
    private func deliver(_ elements: ElementQueue<Action>, on isolation: isolated any Actor) async {
        // Elements that arrive after a cancellation are taken and dropped, so that the reader does not wait for room
        // forever.
        while let batch = await elements.next(isolation: isolation) {
            if !Task.isCancelled { runtime()?.receive(batch, of: effect) }
        }
    }

    /// Delivers the end of an effect on the isolation, with its last action if it has one.
    func complete(_ result: Result<Action?, any Error>, on isolation: isolated any Actor) {
        guard let runtime = runtime() else { return }
        switch result {
        case .success(let action):
            runtime.receive(action, of: effect, isLast: true)
        case .failure(let error):
            if !effect.hasEnded {
                effect.tree.record(error)
                effect.scope.hasFailed = true
            }
            runtime.receive(nil, of: effect, isLast: true)
        }
    }

    /// Delivers an action of an effect that continues, on the isolation.
    private func forward(_ action: Action, on isolation: isolated any Actor) {
        guard let runtime = runtime() else { return }
        if effect.hasEnded, !effect.wasCancelled, !effect.tree.isCutShort {
            return reportIssue(
                """
                An action was sent through `Send` after its effect had ended, and is dropped: \(action). \
                Keep the closure of `.run` waiting until all its work is done.
                """
            )
        }
        guard !Task.isCancelled else { return }
        runtime.receive(action, of: effect, isLast: false)
    }
}

private func reportFailure(_ error: any Error) {
    reportIssue(
        """
        An effect threw an error that nothing caught: \(EffectFailure(error)). \
        Handle it in the effect, or use .perform(_:catch:) to turn it into an action.
        """
    )
}

/// The time at which the effects of a turn start.
package enum EffectStart: Sendable {
    /// Effects start at the end of the turn.
    case afterTurn
    /// Effects start when the host calls `startHeldEffects()`. The host first hands the state to another process, so
    /// that no effect runs before that process knows the state that requested it.
    case held
}
