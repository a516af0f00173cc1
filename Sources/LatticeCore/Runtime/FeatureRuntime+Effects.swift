import IssueReporting
import LatticeConcurrency

extension FeatureRuntime {
    /// Starts the one task of an effect.
    func start(_ effect: Effect) {
        // Inherits task-locals on purpose: tracing, and what tests expect of it, belong to who sent the event.
        if let onEffectStart { effect.onWork = onEffectStart() }
        let task = effect.tree.context.around { makeTask(of: effect) }
        effect.tree.add(task, effect: effect.id)
    }

    /// The task runs the work off the isolation and comes there once, with the result, and ends. Two changes of threads
    /// in all.
    private func makeTask(of effect: Effect) -> Task<Void, Never> {
        let isolation = isolation
        let running = RunningEffect(effect: effect, isolation: isolation) { [weak self] in self }
        let begun = running.begin()
        func make() -> Task<Void, Never> {
            Task(executorPreference: ThreadPool.shared) {
                let result = await running.work(begun)
                effect.tree.leave(effect: effect.id)
                await running.complete(result, on: isolation)
            }
        }
        // What has begun, as the time of a timeout has, does not queue up behind what has not.
        return begun == nil ? ThreadPool.begin(make) : make()
    }
}

/// An effect at work, and where its results go. It does not keep the runtime alive.
private struct RunningEffect<State: Sendable, Action: Sendable>: Sendable {
    let effect: Effect
    let isolation: any Actor
    let runtime: @Sendable () -> FeatureRuntime<State, Action>?

    var emission: Emission<Action> { Emission(effect.emission) }

    var send: Send<Action> {
        Send { action in await forward(action, on: isolation) }
    }

    /// On the isolation: begins what begins there, and all that is to run on threads apart.
    func begin() -> Emission<Action>.Work? {
        let emission = emission
        let starter = emission.threads == nil ? emission.starter : emission.anyStarter
        return starter?(send, emission.threads)
    }

    /// Off the isolation: the work itself.
    @concurrent
    func work(_ begun: Emission<Action>.Work?) async -> Result<Action?, any Error> {
        defer { effect.onWork?() }
        do {
            // Cancelled before it began: it never begins. What has begun is called all the same, to end what it began.
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
            case .none, .action, .merge, .append, .cancellable, .cancel: break  // No effects, so they never come here.
            }
            return .success(nil)
        } catch {
            if !(error is CancellationError), !effect.tree.isOver { reportFailure(error) }
            return .failure(error)
        }
    }

    /// Off the isolation: reads a stream while its elements are delivered to the isolation.
    @concurrent
    private func read(_ elements: AsyncStream<Action>) async {
        let queue = ElementQueue<Action>()
        async let delivered: Void = deliver(queue, on: isolation)
        // A cancelled stream still hands out what it has buffered, hence the check for each element.
        for await element in elements {
            guard !Task.isCancelled else { break }
            await queue.add(element)
        }
        queue.finish()
        await delivered
    }

    /// On the isolation: the elements of a stream, to the last one.
    private func deliver(_ elements: ElementQueue<Action>, on isolation: isolated any Actor) async {
        // What comes after a cancellation is taken too, so that nobody waits for room.
        while let batch = await elements.next(isolation: isolation) {
            if !Task.isCancelled { runtime()?.receive(batch, of: effect) }
        }
    }

    /// On the isolation: the end of an effect, with its last action if it has one.
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

    /// On the isolation: an action of an effect that goes on.
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
