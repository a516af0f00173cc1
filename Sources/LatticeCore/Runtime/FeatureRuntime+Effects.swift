import IssueReporting

extension FeatureRuntime {
    /// Starts the one task of an effect.
    func start(_ effect: Effect<Action>) {
        // Inherits task-locals on purpose: tracing, and what tests expect of it, belong to who sent the event.
        let identity = effect.tree.identity
        if let onEffectStart { effect.onWork = onEffectStart() }
        let task =
            if identity == EventID.current {
                makeTask(of: effect)
            } else {
                EventID.$current.withValue(identity) { makeTask(of: effect) }
            }
        effect.tree.add(task, effect: effect.id)
    }

    /// The task runs the work off the isolation and comes there once, with the result, and ends. Two changes of threads
    /// in all. It does not keep the runtime alive while the work runs.
    private func makeTask(of effect: Effect<Action>) -> Task<Void, Never> {
        let isolation = isolation
        let runtime: @Sendable () -> FeatureRuntime? = { [weak self] in self }
        let begun = effect.emission.starter.map { $0(Self.makeSend(of: effect, runtime, isolation)) }
        return Task(executorPreference: EffectExecutor.shared) {
            let result = await Self.work(on: effect, begun, runtime, isolation)
            effect.tree.leave(effect: effect.id)
            await Self.complete(result, effect, runtime(), on: isolation)
        }
    }

    private static func makeSend(
        of effect: Effect<Action>,
        _ runtime: @escaping @Sendable () -> FeatureRuntime?,
        _ isolation: any Actor
    ) -> Send<Action> {
        Send { action in await forward(action, effect, runtime(), on: isolation) }
    }

    /// Off the isolation: the work itself.
    @concurrent
    private static func work(
        on effect: Effect<Action>,
        _ begun: Emission<Action>.Work?,
        _ runtime: @escaping @Sendable () -> FeatureRuntime?,
        _ isolation: any Actor
    ) async -> Result<Action?, any Error> {
        defer { effect.onWork?() }
        do {
            // Cancelled before it began: it never begins. What has begun is called all the same, to end what it began.
            guard begun != nil || !(Task.isCancelled || effect.tree.isOver) else { throw CancellationError() }
            if let begun {
                effect.onWork?()
                return .success(try await begun())
            }
            switch effect.emission.kind {
            case .perform(let work):
                effect.onWork?()
                return .success(await work())
            case .attempt(let work):
                effect.onWork?()
                return .success(try await work())
            case .run(let work):
                effect.onWork?()
                try await work(makeSend(of: effect, runtime, isolation))
            case .observe(let open):
                let elements = await open()
                effect.onWork?()
                await read(elements, of: effect, runtime, isolation)
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
    private static func read(
        _ elements: AsyncStream<Action>,
        of effect: Effect<Action>,
        _ runtime: @escaping @Sendable () -> FeatureRuntime?,
        _ isolation: any Actor
    ) async {
        let queue = ElementQueue<Action>()
        async let delivered: Void = deliver(queue, effect, runtime, on: isolation)
        // A cancelled stream still hands out what it has buffered, hence the check for each element.
        for await element in elements {
            guard !Task.isCancelled else { break }
            await queue.add(element)
        }
        queue.finish()
        await delivered
    }

    /// On the isolation: the elements of a stream, to the last one.
    private static func deliver(
        _ elements: ElementQueue<Action>,
        _ effect: Effect<Action>,
        _ runtime: @Sendable () -> FeatureRuntime?,
        on isolation: isolated any Actor
    ) async {
        // What comes after a cancellation is taken too, so that nobody waits for room.
        while let batch = await elements.next(isolation: isolation) {
            if !Task.isCancelled { runtime()?.receive(batch, of: effect) }
        }
    }

    /// On the isolation: the end of an effect, with its last action if it has one.
    private static func complete(
        _ result: Result<Action?, any Error>,
        _ effect: Effect<Action>,
        _ runtime: FeatureRuntime?,
        on isolation: isolated any Actor
    ) {
        guard let runtime else { return }
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
    private static func forward(
        _ action: Action,
        _ effect: Effect<Action>,
        _ runtime: FeatureRuntime?,
        on isolation: isolated any Actor
    ) {
        guard let runtime else { return }
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
