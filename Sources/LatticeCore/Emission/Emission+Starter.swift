extension Emission {
    /// The work of an effect that has started. It returns the effect's last action.
    ///
    /// The owner must call the work, because cancelling the task that calls it is the only way to end the effect.
    typealias Work = @Sendable () async throws -> Action?
    /// Starts an effect immediately, without waiting. Actions other than the last one are sent through `Send`. The
    /// user's closure runs on the given threads, and nothing else waits for these threads.
    typealias Starter = @Sendable (Send<Action>, EffectThreads?) -> Work

    /// The kinds of effects that end without being cancelled.
    enum Shape {
        case perform, attempt, run
    }

    /// The shape of an effect that ends without being cancelled, or nil for a stream or a kind that is not a single
    /// effect.
    var effectShape: Shape? {
        switch kind {
        case .perform: .perform
        case .attempt: .attempt
        case .run: .run
        case .none, .action, .observe, .merge, .append, .cancellable, .cancel, .reject: nil
        }
    }

    /// Creates an effect from the function that starts it.
    /// - Parameter startCounts: Whether the moment of the start matters. If it is false, the effect starts when its
    ///   work is called, and never starts if it is cancelled before that.
    init(_ shape: Shape, startCounts: Bool = true, starter: @escaping Starter) {
        let kind: Kind =
            switch shape {
            // A `perform` does not throw, so no error is lost.
            case .perform: .perform { (try? await starter(.ignoring, nil)()) ?? nil }
            case .attempt: .attempt { try await starter(.ignoring, nil)() }
            case .run: .run { send in if let last = try await starter(send, nil)() { await send(last) } }
            }
        self.init(kind: kind, starter: startCounts ? starter : nil)
    }

    /// The function that starts the effect, or nil for a kind that is not a single effect.
    var anyStarter: Starter? {
        if let starter { return starter }
        switch kind {
        case .perform(let work):
            return { _, threads in { try await threads.run(work) } }
        case .attempt(let work):
            return { _, threads in { try await threads.run(work) } }
        case .run(let work):
            return { send, threads in
                {
                    try await threads.run { try await work(send) }
                    return nil
                }
            }
        case .observe(let open):
            return { send, threads in
                {
                    try await threads.run {
                        for await action in await open() {
                            guard !Task.isCancelled else { break }
                            await send(action)
                        }
                    }
                    return nil
                }
            }
        case .none, .action, .merge, .append, .cancellable, .cancel, .reject:
            return nil
        }
    }

    /// Returns an emission with the same structure and other effects. `transform` returns the replacement for an
    /// effect, or nil to keep the effect.
    func mapEffects(_ transform: (Emission<Action>) -> Emission<Action>?) -> Self {
        rebuilt { leaf in
            // An emission without parts that has effects is a single effect.
            leaf.hasEffects ? transform(leaf)?.with(threads: leaf.threads, label: leaf.label) ?? leaf : leaf
        }
    }
}
