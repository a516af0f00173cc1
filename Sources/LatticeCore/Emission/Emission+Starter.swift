extension Emission {
    /// The work of an effect that has begun, with its last action. Whoever got it has to call it: it is also what ends
    /// the effect when the task that calls it is cancelled.
    typealias Work = @Sendable () async throws -> Action?
    /// Begins an effect, at once and without waiting; other actions than the last one go through `Send`.
    typealias Starter = @Sendable (Send<Action>) -> Work

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
            case .perform: .perform { (try? await starter(.ignoring)()) ?? nil }
            case .attempt: .attempt { try await starter(.ignoring)() }
            case .run: .run { send in if let last = try await starter(send)() { await send(last) } }
            }
        self.init(kind: kind, starter: startCounts ? starter : nil)
    }

    /// How an effect begins, whatever it is; nil for what is no effect by itself.
    var anyStarter: Starter? {
        if let starter { return starter }
        switch kind {
        case .perform(let work):
            return { _ in { await work() } }
        case .attempt(let work):
            return { _ in work }
        case .run(let work):
            return { send in
                {
                    try await work(send)
                    return nil
                }
            }
        case .observe(let open):
            return { send in
                {
                    for await action in await open() {
                        guard !Task.isCancelled else { break }
                        await send(action)
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
        switch kind {
        case .none, .action, .cancel:
            self
        case .perform, .attempt, .run, .observe:
            transform(self) ?? self
        case .merge(let children):
            Self(kind: .merge(children.map { $0.mapEffects(transform) }))
        case .append(let steps):
            Self(kind: .append(steps.map { $0.mapEffects(transform) }))
        case .cancellable(let emission, let id, let cancelInFlight):
            Self(kind: .cancellable(emission.mapEffects(transform), id: id, cancelInFlight: cancelInFlight))
        }
    }
}
