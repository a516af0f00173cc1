/// The three types that every feature has, wherever its interactor lives.
public protocol FeatureTypes {
    associatedtype Action: Sendable
    associatedtype DomainState: Sendable
    associatedtype ViewState: Sendable
}
