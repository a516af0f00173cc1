import LatticeCore
import LatticeSession

/// A hosted feature whatever its types, as clients reach it.
@MainActor protocol FeatureHosting: AnyObject, Sendable {
    var schema: Int { get }

    /// Shows the view state to a client from now on.
    func attach(_ mirror: Mirror)
    func detach(_ mirror: Mirror)

    /// Sends a client's event on to the worker. Any thread.
    nonisolated func forward(_ action: [UInt8]) -> (completion: EventCompletion, event: UInt64?)

    /// Returns when a worker serves the feature, or throws why none ever will.
    nonisolated func whenOpened() async throws
}
