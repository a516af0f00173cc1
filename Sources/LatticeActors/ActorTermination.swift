import LatticeConcurrency
import LatticeSession
import LatticeWire

/// How an actor has ended.
public enum ActorTermination: Sendable, Hashable, CustomStringConvertible {
    /// Nobody in its process kept it any longer.
    case released
    /// Its process has ended, or the connection to it was lost: a sentence that says how.
    case processEnded(String)

    public var description: String {
        switch self {
        case .released: "its process has let go of it"
        case .processEnded(let reason): reason
        }
    }
}

extension LatticeActorSystem {
    /// Returns when an actor has ended, at once if it has already: once, and behind the answers of all calls that came
    /// from it before.
    ///
    /// ```swift
    /// let end = try await system.onTermination(of: thumbnailer.id)
    /// ```
    ///
    /// It takes the identity, as whoever waits with an actor of its own process would keep that.
    ///
    /// - Throws: `CancellationError` when the calling task is cancelled, and ``ActorCallError`` with
    ///   ``ActorCallError/Code/overloaded`` if too many wait for ends of actors of that process.
    public func onTermination(of id: LatticeActorID) async throws -> ActorTermination {
        try await untilEnded(id.number, of: id)
    }

    /// Returns when the process of an actor has ended or the connection to it was lost, whatever becomes of the actor.
    ///
    /// - Returns: How that was, in a sentence.
    /// - Throws: As ``onTermination(of:)``.
    public func onTermination(ofProcessOf id: LatticeActorID) async throws -> String {
        guard case .processEnded(let reason) = try await untilEnded(0, of: id) else { return "it has ended" }
        return reason
    }

    /// - Parameter actor: 0: the node itself.
    private func untilEnded(_ actor: UInt64, of id: LatticeActorID) async throws -> ActorTermination {
        let call = OutgoingCall(
            to: 0,
            of: id.node,
            method: NodeMethod.ended.rawValue,
            arguments: ActorOfNode(actor: actor).bytes,
            terms: CallContext(deadline: TaskDeadline.current.map { EventDeadline($0) } ?? .never)
        )
        let reply = await node.ask(call)
        switch reply.code {
        case .returned: return .released
        case .lost, .noNode: return .processEnded(reply.reason ?? "the process has ended")
        case .cancelled: throw CancellationError()
        default: throw ActorCallError(reply, "waiting for the end of \(id)")
        }
    }
}
