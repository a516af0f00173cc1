import LatticeCore

/// A hosted feature whose state says what it has handled, so that a test at the other end of a wire sees every action
/// with the state after it, however many of them one state message stands for.
enum WatchedFeature<Base: HostedFeature>: HostedFeature {
    /// An action, with the event that it belongs to.
    struct Action: Codable, Sendable {
        let base: Base.Action
        let event: Int
        let isSent: Bool
        /// The sender knows all that was handled up to this number.
        let seen: Int
    }

    struct DomainState: Codable, Sendable, Equatable {
        var base: Base.DomainState
        var log = HandledLog<Base.Action, Base.DomainState>()

        /// How many actions were handled.
        var count: Int { log.count }
        /// The last of them: all that the sender may not know.
        var entries: [HandledAction<Base.Action, Base.DomainState>] { log.entries }

        static func == (one: Self, other: Self) -> Bool { one.log == other.log }
    }

    typealias ViewState = DomainState

    static var identifier: String { Base.identifier }
    static var schema: Int { Base.schema }
    static var defaultConfiguration: Base.Configuration { Base.defaultConfiguration }
    static func initialDomainState(in context: HostContext) -> DomainState {
        DomainState(base: Base.initialDomainState(in: context))
    }

    static func interactor(in context: HostContext) -> WatchedInteractor<Base> {
        WatchedInteractor(base: Base.interactor(in: context))
    }

    /// Nobody shows it: the test view model has the reducer of the feature.
    static func reducer() -> BuildViewState<DomainState, DomainState> { .asItIs }
}

/// Where the state of the feature travels as changes, this one does too.
extension WatchedFeature.DomainState: Patchable where Base.DomainState: Patchable {
    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("log", from: old.log, to: log)
        try patch.field("base", from: old.base, to: base)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "log": try patch.apply(to: &log)
            case "base": try patch.apply(to: &base)
            default: throw patch.unknownField(name)
            }
        }
    }
}

/// What an interactor has handled.
struct HandledLog<Action: Codable & Sendable, DomainState: Codable & Sendable>: Codable, Sendable, Equatable {
    typealias Entry = HandledAction<Action, DomainState>

    private(set) var count = 0
    /// The last of them.
    private(set) var entries: [Entry] = []

    /// - Parameter seen: The reader knows all up to this number.
    mutating func append(_ entry: Entry, seen: Int) {
        count += 1
        entries.append(entry)
        entries = entries.suffix(max(0, count - seen))
    }

    /// No two logs of one feature have the same number.
    static func == (one: Self, other: Self) -> Bool { one.count == other.count }
}

extension WatchedFeature: AnsweringFeature where Base: AnsweringFeature {
    static func answer(
        _ question: Base.Question,
        from state: DomainState,
        in context: HostContext
    ) async throws(Base.AnswerFailure) -> Base.Answer {
        try await Base.answer(question, from: state.base, in: context)
    }
}

/// Runs the interactor of a feature, and writes down what it has handled.
struct WatchedInteractor<Base: HostedFeature>: Interactor, Sendable {
    typealias DomainState = WatchedFeature<Base>.DomainState
    typealias Action = WatchedFeature<Base>.Action

    let base: Base.HostedInteractor

    var body: some InteractorOf<Self> { self }

    func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        _resolve().interact(state: &state, action: action)
    }

    func _resolve() -> _ResolvedInteractor<DomainState, Action> {
        base._resolve().carried(state: \DomainState.base) { action in
            action.base
        } embed: { emitted, handled in
            Action(base: emitted, event: handled.event, isSent: false, seen: 0)
        } handled: { state, action in
            let (event, isSent) = (action.event, action.isSent)
            state.log.append(
                HandledAction(action: action.base, domainState: state.base, event: event, isSent: isSent),
                seen: action.seen
            )
        }
    }
}
