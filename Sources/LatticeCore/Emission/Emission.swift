import LatticeConcurrency

/// The result of handling an action: nothing, further actions, or effects.
///
/// Effects run outside the runtime's isolation. They start when the state of the turn has settled. Each action of an
/// effect is handled in a turn of its own, except that several elements of an observed stream can share a turn. See
/// ``EventTask`` for how effects end.
public struct Emission<Action: Sendable>: Sendable {
    enum Kind: Sendable {
        case none
        // Indirect, like the other cases with an action or emission, so that the kind has a fixed size. Code that
        // inspects it then needs no runtime look-up of its type.
        indirect case action(Action)
        case perform(work: @Sendable () async -> Action?)
        /// A `perform` that can throw.
        case attempt(work: @Sendable () async throws -> Action?)
        case run(work: @Sendable (Send<Action>) async throws -> Void)
        case observe(stream: @Sendable () async -> AsyncStream<Action>)
        case merge([Emission<Action>])
        case append([Emission<Action>])
        indirect case cancellable(Emission<Action>, id: EffectID, cancelInFlight: Bool)
        indirect case cancel(id: EffectID)
        indirect case reject(EventRejection)
    }

    /// The contents of the emission, or nil for `none`, which is the most common emission.
    ///
    /// The contents are a reference, so that generic code can recognise an empty emission without looking up the
    /// layout of an emission at run time.
    let content: Content?

    final class Content: @unchecked Sendable {
        // Unchecked because `kind` changes only in `deinit`, or in the `deinit` of another content that holds the last
        // reference to this one.
        @exclusivity(unchecked) private(set) var kind: Kind
        let starter: Starter?
        let threads: EffectThreads?
        let label: EffectLabel?
        /// The nesting depth of merges, appends and `cancellable` emissions. It is 0 for an emission without parts.
        let depth: Int
        /// Whether the emission can start effects, apart from the effects of its actions.
        let hasEffects: Bool
        /// Whether the emission rejects the action before anything else of it is handled.
        let rejects: Bool

        init(kind: Kind, starter: Starter?, threads: EffectThreads?, label: EffectLabel?) {
            self.kind = kind
            self.starter = starter
            self.threads = threads
            self.label = label
            (depth, hasEffects, rejects) = kind.shape
        }

        deinit {
            // Releasing deeply nested contents recursively would overflow the stack.
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

    /// Creates an emission from the contents that a turn has stored for the runtime of this action type.
    ///
    /// The type is checked in debug builds only, because a runtime's queue contains only its own emissions. A queue
    /// that is generic over the action type looked the type up for each element, which cost a third of the rate of
    /// `effects at once` in `lattice-bench local`.
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

    /// Returns the same effect with threads and a label. A nil argument leaves the current value.
    func with(threads: EffectThreads? = nil, label: EffectLabel? = nil) -> Self {
        guard threads != nil || label != nil else { return self }
        return Self(kind: kind, starter: starter, threads: threads ?? self.threads, label: label ?? self.label)
    }

    var isNone: Bool { content == nil }

    var kind: Kind { content?.kind ?? .none }

    /// The threads on which the effect's work runs, if any were chosen.
    var threads: EffectThreads? { content?.threads }

    /// The name of the effect and its interruption policy, if it has a name.
    var label: EffectLabel? { content?.label }

    /// The function that starts the effect, if the moment of the start matters. A debounce, for example, takes its
    /// place in the order, and a timeout computes its deadline.
    ///
    /// The runtime calls it on its own isolation when it starts the effect. The work in `kind` does the same, but
    /// starts when it is called.
    var starter: Starter? { content?.starter }

    /// An emission without actions and effects.
    public static var none: Self { Self(content: nil) }

    /// Returns an emission of an action that is handled in the same turn, before any event that was sent in the
    /// meantime.
    public static func action(_ action: Action) -> Self {
        Self(kind: .action(action))
    }

    /// Returns an effect that performs asynchronous work and produces at most one action.
    public static func perform(_ work: @escaping @Sendable () async -> Action?) -> Self {
        Self(kind: .perform(work: work))
    }

    /// Returns an effect that performs asynchronous work and produces at most one action, or throws an error.
    ///
    /// If `work` throws, the error is reported and the outcome of the event is ``EventOutcome/failed(_:)``. In an
    /// ``append(_:)-(Emission<Action>...)``, the steps after it are skipped. If `work` throws a `CancellationError`,
    /// the outcome is ``EventOutcome/cancelled``.
    public static func perform(_ work: @escaping @Sendable () async throws -> Action?) -> Self {
        Self(kind: .attempt(work: work))
    }

    /// Returns an effect whose errors are converted to actions. `handler` is not called when the effect itself is
    /// cancelled.
    public static func perform(
        _ work: @escaping @Sendable () async throws -> Action?,
        catch handler: @escaping @Sendable (any Error) async -> Action?
    ) -> Self {
        perform(work).catch(handler)
    }

    /// Returns an effect that sends any number of actions while it runs. Errors are handled as in a throwing `perform`.
    public static func run(_ work: @escaping @Sendable (Send<Action>) async throws -> Void) -> Self {
        Self(kind: .run(work: work))
    }

    /// Returns an effect that sends an action for each element of a stream, until the stream ends or the effect is
    /// cancelled.
    ///
    /// Elements that arrive while others are being handled wait in a queue and share the next turn. When 64 elements
    /// wait, the stream is not read until there is room. If each element must be handled before the next one is read,
    /// iterate over the stream in ``run(_:)``. Under ``timeout(_:clock:)`` and ``retry(_:clock:seed:if:)``, every
    /// stream is read in that way.
    public static func observe(_ stream: @escaping @Sendable () async -> AsyncStream<Action>) -> Self {
        Self(kind: .observe(stream: stream))
    }
}

/// Sends actions from an effect that was created with ``Emission/run(_:)``.
public struct Send<Action: Sendable>: Sendable {
    private let deliver: @Sendable (Action) async -> Void

    init(_ deliver: @escaping @Sendable (Action) async -> Void) {
        self.deliver = deliver
    }

    /// Sends `action` to the runtime, and returns when its turn is over. The state has then settled, and the effects of
    /// the action have started but need not have ended. The call does nothing if the effect has been cancelled.
    public func callAsFunction(_ action: Action) async {
        await deliver(action)
    }

    /// A value that discards all actions, for an effect that no runtime runs.
    static var ignoring: Self { Self { _ in } }

    /// Returns a value that sends actions until `oneShot` is complete. Actions that are sent later are dropped.
    func until<Value>(_ oneShot: OneShot<Value>) -> Self {
        Self { action in
            if !oneShot.isComplete { await self(action) }
        }
    }
}
