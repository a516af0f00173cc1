import IssueReporting

extension FeatureRuntime {
    /// Starts the one task of an effect, off the isolation.
    func start(_ effect: Effect<Action>) {
        let body = makeBody(of: effect)
        // Inherits task-locals on purpose: tracing, and what tests expect of it, belong to who sent the event.
        let identity = effect.tree.identity
        let task =
            if identity == EventID.current {
                Task(operation: body)
            } else {
                EventID.$current.withValue(identity) { Task(operation: body) }
            }
        effect.tree.add(task, effect: effect.id)
    }

    /// What the task of an effect does: the work, and then one hop that delivers its result and ends it.
    ///
    /// Does not keep the runtime alive while the work runs.
    private func makeBody(of effect: Effect<Action>) -> @Sendable () async -> Void {
        { [weak self, isolation] in
            let result: Result<Action?, any Error>
            do {
                // Cancelled before it began: it never begins.
                guard !Task.isCancelled, !effect.tree.isOver else { throw CancellationError() }
                switch effect.work {
                case .perform(let work):
                    result = .success(try await work())
                case .run(let work):
                    try await work(Send { [weak self] in await Self.relay($0, effect, self, on: isolation) })
                    result = .success(nil)
                case .observe(let open):
                    // A cancelled stream still hands out what it has buffered, hence the check for each element.
                    for await element in await open() {
                        guard !Task.isCancelled else { break }
                        await Self.relay(element, effect, self, on: isolation)
                    }
                    result = .success(nil)
                }
            } catch {
                if !(error is CancellationError), !effect.tree.isOver { reportFailure(error) }
                result = .failure(error)
            }
            // Last of all, so that the task does not change threads once more after it.
            await Self.land(result, effect, self, on: isolation)
        }
    }

    /// On the isolation: the end of an effect, with its last action if it has one.
    private static func land(
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
    private static func relay(
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
