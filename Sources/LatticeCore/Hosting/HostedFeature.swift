import IssueReporting
// Actions and states can write themselves, so `WireCodable` is part of the API for defining a feature.
@_exported public import LatticeCoding
// States consist of these collections, and are sent as patches.
@_exported public import LatticeCollections

/// A feature that can run in another process. Its values can be encoded, and each of its parts is created where it is
/// used.
///
/// A coordinator calls ``reducer()`` and ``recovery(from:in:)``. It also calls ``initialDomainState(in:)``, for the
/// state that it shows before a worker serves the feature. All other functions that take a ``HostContext`` are called
/// only where the interactor runs: in the worker, or in the process of the view model.
public protocol HostedFeature: FeatureTypes, Sendable
where Action: Codable, DomainState: Codable & Equatable, ViewState: Codable & Equatable {
    // Every type is inferred from the functions below. The defaults only improve the compiler's message for a feature
    // that lacks one of the functions: it then names the missing function instead of all types.

    /// A value that the interactor handles.
    associatedtype Action = Never
    /// The state that the interactor changes, and that the worker sends to the coordinator.
    associatedtype DomainState = Never
    /// The state that is shown, and that the coordinator sends to clients.
    associatedtype ViewState = Never
    /// The type of the interactor.
    associatedtype HostedInteractor: Interactor<DomainState, Action> & Sendable = AnyInteractor<DomainState, Action>
    /// The type of the reducer.
    associatedtype HostedReducer: ViewStateReducer<DomainState, ViewState> & Sendable = AnyViewStateReducer<
        DomainState, ViewState
    >
    /// The configuration that a coordinator can send to the feature in its worker. Its maximum encoded size is 64 KiB.
    associatedtype Configuration: Codable & Sendable = NoConfiguration

    /// The name of the feature on the wire, such as "tally". It must stay the same across versions.
    static var identifier: String { get }

    /// The version of the feature's types, on which both ends must agree. The default is 1.
    static var schema: Int { get }

    /// The configuration that is used if none is set.
    static var defaultConfiguration: Configuration { get }

    /// Returns the state that a new instance starts from. The worker calls this function. A coordinator calls it too,
    /// to show a state before the worker sends its first one.
    static func initialDomainState(in context: HostContext) -> DomainState

    /// Returns the interactor. It is called once for each instance in each incarnation of the worker.
    static func interactor(in context: HostContext) -> HostedInteractor

    /// Returns the reducer. A coordinator calls this function once for each instance.
    ///
    /// In a coordinator, the reducer never runs on the main actor, so that a busy main actor does not delay clients. It
    /// runs on the event loop that serves all clients, or on another thread if the reduction before took 0.2 ms or
    /// longer, if the state is large, or when the instance is created. Its calls follow each other and never overlap.
    /// In process, it runs on the main actor.
    static func reducer() -> HostedReducer

    /// Returns the action with which an instance starts in each incarnation of the worker, and in process, or nil for
    /// none. The default is nil. The action is handled before any event, and before the action of an interruption.
    ///
    /// Use it to rebuild what does not survive a termination: `@WorkerLocal` parts of the state, connections, and
    /// subscriptions. The action has no sender, so nothing waits for its effects, including a drain. Errors of the
    /// effects are reported and affect nothing else. If the resulting state cannot be sent, the action is undone.
    ///
    /// - Parameters:
    ///   - context: The information about the environment in which the feature runs.
    ///   - state: The state from which the incarnation starts: the initial one, or the last acknowledged one.
    static func started(_ context: HostContext, in state: DomainState) -> Action?

    /// Returns the action that follows the termination of a worker with running effects, or nil for none. The default
    /// is nil. The action can, for example, restart the effects in ``Interruption/effects``. The function is called
    /// even if that list is empty because no effect had a name. It is called on the thread on which the reducer runs.
    ///
    /// If the action is rejected, the function is called again when another attempt can succeed: with the next state or
    /// outcome of the worker if a queue was full, and otherwise when another worker serves the instance. It then
    /// receives the state of that time. An action that was quarantined is given up.
    ///
    /// - Parameters:
    ///   - interruption: The termination and the interrupted effects.
    ///   - state: The state from which the next incarnation starts.
    static func recovery(from interruption: Interruption, in state: DomainState) -> Action?
}

extension HostedFeature {
    /// 1, for a feature whose types have never changed.
    public static var schema: Int { 1 }

    /// Returns nil.
    public static func started(_ context: HostContext, in state: DomainState) -> Action? {
        nil
    }

    /// Returns nil.
    public static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        nil
    }
}

extension HostedFeature {
    /// Reports that the action of ``started(_:in:)`` was undone, because no task waits for its outcome.
    package static func reportTakenBack(_ failure: EffectFailure) {
        reportIssue("The action of started(_:in:) of \"\(identifier)\" was undone: \(failure.message)")
    }
}

extension HostedFeature where Configuration == NoConfiguration {
    /// The empty configuration.
    public static var defaultConfiguration: NoConfiguration { NoConfiguration() }
}

/// The configuration of a feature that has no configuration.
public struct NoConfiguration: Codable, Sendable, Hashable {
    /// Creates the empty configuration.
    public init() {}
}
