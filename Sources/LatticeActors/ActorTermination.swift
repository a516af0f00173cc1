public import Distributed
import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// The reason why an actor ended.
public enum ActorTermination: Sendable, Hashable, CustomStringConvertible {
    /// No reference in its process kept the actor any longer.
    case released
    /// The actor's process has ended, or the connection to it was lost. The value says how.
    case processEnded(ProcessTermination)

    /// A phrase that says why the actor ended, such as "its process has released it".
    public var description: String {
        switch self {
        case .released: "its process has released it"
        case .processEnded(let termination): termination.description
        }
    }
}

/// The end of a process, or of the connection to it.
public struct ProcessTermination: Sendable, Hashable, CustomStringConvertible {
    /// A description of the process, such as `worker "thumbnails" (process 812)`.
    public let process: String
    /// A sentence that says how the process ended or how the connection to it was lost.
    public let reason: String

    /// The reason.
    public var description: String { reason }
}

extension LatticeActorSystem {
    /// Waits until an actor of another process has ended, and returns immediately if it has ended already.
    ///
    /// The function returns after the answers of all earlier calls of the actor have arrived.
    ///
    /// ```swift
    /// let end = try await system.onTermination(of: thumbnailer)
    /// ```
    ///
    /// For an actor of this process, pass its `id` instead. The reference keeps such an actor alive while the function
    /// waits.
    ///
    /// - Parameter actor: A reference to the actor.
    /// - Returns: The reason why the actor ended.
    /// - Throws: `CancellationError` when the calling task is cancelled, and ``ActorCallError`` with
    ///   ``ActorCallError/Code/overloaded`` if too many tasks wait for actors of that process to end.
    public func onTermination<Act: DistributedActor>(of actor: Act) async throws -> ActorTermination
    where Act.ActorSystem == LatticeActorSystem {
        try await untilEnded(actor.id.number, of: actor.id)
    }

    /// Waits until the process of an actor has ended or the connection to it was lost, whether or not the actor ended
    /// earlier.
    ///
    /// - Parameter actor: A reference to the actor.
    /// - Returns: How the process ended.
    /// - Throws: The same errors as `onTermination(of:)`.
    public func onTermination<Act: DistributedActor>(ofProcessOf actor: Act) async throws -> ProcessTermination
    where Act.ActorSystem == LatticeActorSystem {
        try await onTermination(ofProcessOf: actor.id)
    }

    /// Waits until the actor with an identity has ended, and returns immediately if it has ended already.
    ///
    /// The function returns after the answers of all earlier calls of the actor have arrived. Unlike a reference, the
    /// identity does not keep an actor of this process alive.
    ///
    /// ```swift
    /// let end = try await system.onTermination(of: thumbnailer.id)
    /// ```
    ///
    /// - Parameter id: The identity of the actor.
    /// - Returns: The reason why the actor ended.
    /// - Throws: `CancellationError` when the calling task is cancelled, and ``ActorCallError`` with
    ///   ``ActorCallError/Code/overloaded`` if too many tasks wait for actors of that process to end.
    public func onTermination(of id: LatticeActorID) async throws -> ActorTermination {
        try await untilEnded(id.number, of: id)
    }

    /// Waits until the process of an actor has ended or the connection to it was lost, whether or not the actor ended
    /// earlier.
    ///
    /// - Parameter id: The identity of the actor.
    /// - Returns: How the process ended.
    /// - Throws: The same errors as `onTermination(of:)`.
    public func onTermination(ofProcessOf id: LatticeActorID) async throws -> ProcessTermination {
        guard case .processEnded(let termination) = try await untilEnded(0, of: id) else {
            return ProcessTermination(process: id.process, reason: "the process has ended")
        }
        return termination
    }

    /// Waits until an actor or its whole process has ended.
    ///
    /// - Parameters:
    ///   - actor: The number of the actor, or 0 for the process itself.
    ///   - id: The identity of the actor, which names the process.
    private func untilEnded(_ actor: UInt64, of id: LatticeActorID) async throws -> ActorTermination {
        let context = CallContext(deadline: MonotonicDeadline.current)
        let call = OutgoingCall(.ended, about: actor, at: id.node, context: context)
        let outcome = await node.ask(call)
        if case .returned = outcome { return .released }
        let failure = outcome.failure ?? CallFailure(.refused, "its process threw an error instead of an answer")
        switch failure.code {
        case .lost, .noNode:
            let reason = failure.reason ?? "the process has ended"
            return .processEnded(ProcessTermination(process: id.process, reason: reason))
        case .cancelled: throw CancellationError()
        default: throw ActorCallError(failure, "waiting for the end of \(id)")
        }
    }
}
