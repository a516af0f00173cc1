extension Emission {
    /// The work of an effect that has begun, with its last action. Whoever got it has to call it: it is also what ends
    /// the effect when the task that calls it is cancelled.
    typealias Work = @Sendable () async throws -> Action?
    /// Begins an effect, at once and without waiting; other actions than the last one go through `Send`. What the user
    /// wrote runs on the threads; all else does not wait for these.
    typealias Starter = @Sendable (Send<Action>, EffectThreads?) -> Work

    /// The kinds of effects that end by themselves.
    enum Shape {
        case perform, attempt, run
    }

    /// Nil for streams, and for what is no effect by itself.
    var effectShape: Shape? {
        switch kind {
        case .perform: .perform
        case .attempt: .attempt
        case .run: .run
        case .none, .action, .observe, .merge, .append, .cancellable, .cancel: nil
        }
    }

    /// An effect made of how it begins.
    /// - Parameter startCounts: false for one that need not begin before its work is called. It never begins if it is
    ///   cancelled before that.
    init(_ shape: Shape, startCounts: Bool = true, starter: @escaping Starter) {
        let kind: Kind =
            switch shape {
            // A perform has no error to lose.
            case .perform: .perform { (try? await starter(.ignoring, nil)()) ?? nil }
            case .attempt: .attempt { try await starter(.ignoring, nil)() }
            case .run: .run { send in if let last = try await starter(send, nil)() { await send(last) } }
            }
        self.init(kind: kind, starter: startCounts ? starter : nil)
    }

    /// How an effect begins, whatever it is; nil for what is no effect by itself.
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
        case .none, .action, .merge, .append, .cancellable, .cancel:
            return nil
        }
    }

    /// The same structure with other effects: `transform` is asked about each, and answers nil to leave it as it is.
    func mapEffects(_ transform: (Emission<Action>) -> Emission<Action>?) -> Self {
        rebuilt { leaf in
            // Of what has no parts, all that has effects is one.
            leaf.hasEffects ? transform(leaf)?.with(threads: leaf.threads, label: leaf.label) ?? leaf : leaf
        }
    }
}
