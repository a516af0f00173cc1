import LatticeConcurrency

/// What an interactor asks for when it has handled an action: nothing, further actions, or effects.
///
/// Effects run off the runtime's isolation, and start when the state of the turn has settled. Their actions come back
/// as turns of their own, those of an observed stream several in a turn. See ``EventTask`` for how they end.
public struct Emission<Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case none
        // In a box, as all that follows: a kind whose size is known is looked at without looking its type up.
        indirect case action(Action)
        case perform(work: @Sendable () async -> Action?)
        /// A perform that may throw.
        case attempt(work: @Sendable () async throws -> Action?)
        case run(work: @Sendable (Send<Action>) async throws -> Void)
        case observe(stream: @Sendable () async -> AsyncStream<Action>)
        case merge([Emission<Action>])
        case append([Emission<Action>])
        indirect case cancellable(Emission<Action>, id: EffectID, cancelInFlight: Bool)
        indirect case cancel(id: EffectID)
    }

    /// What it is; nil for the commonest emission, which is nothing.
    ///
    /// A reference, so that code that knows the type of the action only at run time sees that there is nothing to do
    /// without looking up what an emission consists of.
    let content: Content?

    final class Content: @unchecked Sendable {
        // Unchecked: `kind` changes only in the deinitializer, or in that of a content which nothing else refers to.
        @exclusivity(unchecked) private(set) var kind: Kind
        let starter: Starter?
        let threads: EffectThreads?
        let label: EffectLabel?
        /// How many merges, appends and `cancellable`s are inside one another; 0 for what has no parts.
        let depth: Int
        /// Whether effects may follow from it, besides those of actions.
        let hasEffects: Bool

        init(kind: Kind, starter: Starter?, threads: EffectThreads?, label: EffectLabel?) {
            self.kind = kind
            self.starter = starter
            self.threads = threads
            self.label = label
            (depth, hasEffects) = kind.shape
        }

        deinit {
            // What is nested deep would otherwise be released recursively, and overflow the stack.
            guard depth > RuntimeLimits.recursionDepth else { return }
            var released = kind.contents
            kind = .none
            while var content = released.popLast() {
                guard content.depth > RuntimeLimits.recursionDepth, isKnownUniquelyReferenced(&content) else {
                    continue
                }
                released += content.kind.contents
                content.kind = .none
            }
        }
    }

    private init(content: Content?) {
        self.content = content
    }

    /// The emission of a runtime of this action, by which a turn has kept its content.
    ///
    /// Checked in debug builds only: a runtime's queue holds nothing but its own emissions, and a turn whose queue was
    /// of the action's type looked that type up again and again (a third of the rate of `effects at once` in
    /// `latticectl bench local`).
    init(_ content: any EmissionContent) {
        self.content = unsafeDowncast(content, to: Content.self)
    }

    init(kind: Kind, starter: Starter? = nil, threads: EffectThreads? = nil, label: EffectLabel? = nil) {
        if case .none = kind {
            content = nil
        } else {
            content = Content(kind: kind, starter: starter, threads: threads, label: label)
        }
    }

    /// The same effect, of which it is known what it does and what it is called; nil leaves it as it is.
    func with(threads: EffectThreads? = nil, label: EffectLabel? = nil) -> Self {
        guard threads != nil || label != nil else { return self }
        return Self(kind: kind, starter: starter, threads: threads ?? self.threads, label: label ?? self.label)
    }

    var isNone: Bool { content == nil }

    var kind: Kind { content?.kind ?? .none }

    /// Where the work of the effect is to run, if that was said.
    var threads: EffectThreads? { content?.threads }

    /// What the effect is called, if it has a name.
    var label: EffectLabel? { content?.label }

    /// How the effect begins, if its beginning counts: a debounce takes its place in the order, a timeout its deadline.
    /// The runtime calls it on its own isolation when it starts the effect. What `kind` says runs the same, except that
    /// it begins when it is called.
    var starter: Starter? { content?.starter }

    /// Nothing follows.
    public static var none: Self { Self(content: nil) }

    /// `action` is handled in the same turn, before anything that was sent meanwhile.
    public static func action(_ action: Action) -> Self {
        Self(kind: .action(action))
    }

    /// One piece of asynchronous work with at most one action as its result.
    public static func perform(_ work: @escaping @Sendable () async -> Action?) -> Self {
        Self(kind: .perform(work: work))
    }

    /// One piece of asynchronous work with at most one action as its result, or an error.
    ///
    /// An error that `work` throws makes the event's outcome ``EventOutcome/failed(_:)`` and is reported; in an
    /// ``append(_:)-(Emission<Action>...)`` the steps behind it are skipped. A `CancellationError` makes it
    /// ``EventOutcome/cancelled``.
    public static func perform(_ work: @escaping @Sendable () async throws -> Action?) -> Self {
        Self(kind: .attempt(work: work))
    }

    /// Work whose errors become actions: `handler` is not asked about the cancellation of the effect itself.
    public static func perform(
        _ work: @escaping @Sendable () async throws -> Action?,
        catch handler: @escaping @Sendable (any Error) async -> Action?
    ) -> Self {
        perform(work).catch(handler)
    }

    /// Asynchronous work that sends any number of actions while it runs. Errors end it as in a throwing `perform`.
    public static func run(_ work: @escaping @Sendable (Send<Action>) async throws -> Void) -> Self {
        Self(kind: .run(work: work))
    }

    /// One action for each element of a stream, until the stream ends or the effect is cancelled.
    ///
    /// Elements that come while others are being handled wait, 64 at most, and share the next turn; then the stream is
    /// read no further until there is room. Where each has to have been handled before the next is read, loop over the
    /// stream in ``run(_:)``; under ``timeout(_:clock:)`` and ``retry(_:clock:seed:if:)`` that is so for every stream.
    public static func observe(_ stream: @escaping @Sendable () async -> AsyncStream<Action>) -> Self {
        Self(kind: .observe(stream: stream))
    }
}

/// Sends actions from inside an effect that was asked for with ``Emission/run(_:)``.
public struct Send<Action: Sendable>: Sendable {
    private let deliver: @Sendable (Action) async -> Void

    init(_ deliver: @escaping @Sendable (Action) async -> Void) {
        self.deliver = deliver
    }

    /// Hands `action` to the runtime and returns when its turn is done: the state has settled, and the effects that
    /// the action asked for have been started, not ended. Does nothing when the effect has been cancelled.
    public func callAsFunction(_ action: Action) async {
        await deliver(action)
    }

    /// For an effect that nobody runs: what it sends goes nowhere.
    static var ignoring: Self { Self { _ in } }

    /// Sends until `oneShot` is complete; what work sends that goes on after that is dropped.
    func until<Value>(_ oneShot: OneShot<Value>) -> Self {
        Self { action in
            if !oneShot.isComplete { await self(action) }
        }
    }
}
