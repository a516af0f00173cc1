/// A feature that can live in another process: its values can travel, and every part of it is made where it is used.
public protocol HostedFeature: FeatureTypes, Sendable
where Action: Codable, DomainState: Codable & Equatable, ViewState: Codable & Equatable {
    associatedtype HostedInteractor: Interactor<DomainState, Action> & Sendable
    associatedtype HostedReducer: ViewStateReducer<DomainState, ViewState> & Sendable

    /// The feature's name on the wire, such as "tally". Stable over versions.
    static var identifier: String { get }

    /// The version of the three types; both ends must agree. 1 by default.
    static var schema: Int { get }

    static var initialDomainState: DomainState { get }

    /// Called in the worker, and only there.
    static func interactor() -> HostedInteractor

    /// Called where the view model lives, and only there.
    static func reducer() -> HostedReducer

    /// The action that answers the death of a worker that had effects running, for instance to start them again; nil,
    /// the default, for none. Called with the state that the next incarnation starts from.
    static func recovery(from interruption: Interruption, in state: DomainState) -> Action?
}

extension HostedFeature {
    /// 1: for a feature whose actions and states have never changed.
    public static var schema: Int { 1 }

    /// None.
    public static func recovery(from interruption: Interruption, in state: DomainState) -> Action? {
        nil
    }
}
