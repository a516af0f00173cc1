import IssueReporting
// Actions and states may write themselves: `WireCodable` is part of what a feature is made with.
@_exported public import LatticeCoding

/// A feature that can live in another process: its values can travel, and every part of it is made where it is used.
///
/// The functions that take a ``HostContext`` are called where the interactor runs: in the worker, or in process with
/// the view model. Only ``initialDomainState(in:)`` is called in a coordinator too, for what is shown before a worker
/// serves.
public protocol HostedFeature: FeatureTypes, Sendable
where Action: Codable, DomainState: Codable & Equatable, ViewState: Codable & Equatable {
    // Every type follows from the functions below. The defaults are only for what the compiler says of a feature that
    // leaves one of these out: the name of the function, and not the names of all types.
    associatedtype Action = Never
    associatedtype DomainState = Never
    associatedtype ViewState = Never
    associatedtype HostedInteractor: Interactor<DomainState, Action> & Sendable = AnyInteractor<DomainState, Action>
    associatedtype HostedReducer: ViewStateReducer<DomainState, ViewState> & Sendable = AnyViewStateReducer<
        DomainState, ViewState
    >
    /// What a coordinator may tell the feature in its worker: at most 64 KiB when it is encoded.
    associatedtype Configuration: Codable & Sendable = NoConfiguration

    /// The feature's name on the wire, such as "tally". Stable over versions.
    static var identifier: String { get }

    /// The version of its types; both ends must agree. 1 by default.
    static var schema: Int { get }

    /// What holds where nobody configures the feature.
    static var defaultConfiguration: Configuration { get }

    /// The state that a new instance starts from. The worker calls this; a coordinator does too, to show something
    /// before the worker's first state.
    static func initialDomainState(in context: HostContext) -> DomainState

    /// Called once for each instance in each life of the worker.
    static func interactor(in context: HostContext) -> HostedInteractor

    /// Called where the view model lives, and only there.
    static func reducer() -> HostedReducer

    /// The action with which an instance begins, once in each life of the worker, and in process; nil, the default, for
    /// none. It is handled before anything that was sent, and before the answer to an interruption.
    ///
    /// It builds anew what did not survive: `@WorkerLocal` parts of the state, connections, subscriptions. Nobody has
    /// sent it, so nobody waits for its effects: a drain does not, and what fails in them is reported and ends nothing
    /// else. If the state that it leads to cannot be sent, it is taken back.
    ///
    /// - Parameter state: The one that this life starts from: the initial one, or the last acknowledged one.
    static func started(_ context: HostContext, in state: DomainState) -> Action?

    /// The action that answers the death of a worker that had effects running, for instance to start those again that
    /// ``Interruption/effects`` names; nil, the default, for none. Called with the state that the next incarnation
    /// starts from, also where that list is empty, since none of the effects had a name.
    static func recovery(from interruption: Interruption, in state: DomainState) -> Action?
}

extension HostedFeature {
    /// 1: for a feature whose types have never changed.
    public static var schema: Int { 1 }

    /// None.
    public static func started(_ context: HostContext, in state: DomainState) -> Action? {
        nil
    }

    /// None.
    public static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        nil
    }
}

extension HostedFeature {
    /// Says that what ``started(_:in:)`` asked for did not happen, which nobody waits for.
    package static func reportTakenBack(_ failure: EffectFailure) {
        reportIssue("The action of started(_:in:) of \"\(identifier)\" was taken back: \(failure.message)")
    }
}

extension HostedFeature where Configuration == NoConfiguration {
    /// Nothing.
    public static var defaultConfiguration: NoConfiguration { NoConfiguration() }
}

/// The configuration of a feature that has none.
public struct NoConfiguration: Codable, Sendable, Hashable {
    public init() {}
}
