import LatticeCore
import LatticeSession

/// A hosted feature whatever its types, as clients reach it.
@MainActor protocol FeatureHosting: AnyObject, Sendable {
    var schema: Int { get }

    /// Has a view state that a client can be shown; before each `attach`.
    ///
    /// - Returns: Why there is none.
    func prepareSharing() -> String?

    /// Shows the view state to a client from now on.
    func attach(_ mirror: Mirror)
    func detach(_ mirror: Mirror)

    /// Sends a client's event on to the worker. Any thread. Does not keep the host, which has those who keep this.
    nonisolated var forward: Mirror.Forward { get }

    /// Returns when a worker serves the feature, or throws why none ever will.
    nonisolated func whenOpened() async throws
}
