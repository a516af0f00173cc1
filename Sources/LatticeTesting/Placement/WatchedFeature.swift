import LatticeCore

/// A hosted feature whose state contains what the interactor has handled. A test at the other end of a session sees
/// every action with the state after it, even if one state message stands for several actions.
enum WatchedFeature<Base: HostedFeature>: HostedFeature {
    /// An action with the event to which it belongs.
    struct Action: Codable, Sendable {
        let base: Base.Action
        let event: Int
        let isSent: Bool
        /// The number of handled actions that the sender has already seen.
        let seen: Int
    }

    /// The state of the feature, with the log of handled actions.
    struct DomainState: Codable, Sendable, Equatable {
        var base: Base.DomainState
        var log = HandledLog<Base.Action, Base.DomainState>()

        /// The number of handled actions.
        var count: Int { log.count }
        /// The most recent handled actions, at least all those that the sender may not have seen.
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

    /// This reducer is never shown. The test view model uses the reducer of the feature.
    static func reducer() -> BuildViewState<DomainState, DomainState> { .asItIs }
}

/// The state is sent as patches if the state of the feature is.
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

/// The log of the actions that an interactor has handled.
struct HandledLog<Action: Codable & Sendable, DomainState: Codable & Sendable>: Codable, Sendable, Equatable {
    typealias Entry = HandledAction<Action, DomainState>

    /// The number of handled actions.
    private(set) var count = 0
    /// The most recent handled actions.
    private(set) var entries: [Entry] = []

    /// Appends an entry, and removes those that the reader has seen.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - seen: The number of entries that the reader has seen.
    mutating func append(_ entry: Entry, seen: Int) {
        count += 1
        entries.append(entry)
        entries = entries.suffix(max(0, count - seen))
    }

    /// Logs of one feature with the same count are equal, because the count only grows.
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

/// Runs the interactor of a feature and records what it has handled.
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
