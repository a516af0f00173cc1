import Distributed
import LatticeCoding
import LatticeHosting
import LatticeSession
import LatticeWire

/// Calls that are made here.
extension LatticeActorSystem {
    /// - Returns: What the method has returned, encoded.
    /// - Throws: As the method does, and ``ActorCallError``.
    nonisolated(nonsending) func call(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) async throws -> EncodedResult {
        switch await node.call(try outgoing(id, type, target, invocation)) {
        case .reply(let reply):
            if reply.code != .returned { try check(reply, of: "\(target) of \(id)", at: id) }
            return .value(reply.value ?? [])
        case .stream(let stream):
            return .stream(StreamReader(stream, of: "\(target) of \(id)", at: id, self))
        }
    }

    /// Makes a call for whose answer nobody waits.
    nonisolated(nonsending) func send(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) async throws {
        let call = try outgoing(id, type, target, invocation)
        try await oneWay.send(call, to: id, named: "\(target) of \(id)", at: node)
    }

    private func outgoing(
        _ id: LatticeActorID,
        _ type: any DistributedActor.Type,
        _ target: RemoteCallTarget,
        _ invocation: CallEncoder
    ) throws -> OutgoingCall {
        let method = id.hasTable ? stableNames.method(target, invocation, of: type) : target.identifier
        let isStable = invocation.substitutions.isEmpty || !StableNames.isMangled(method)
        var call = OutgoingCall(
            to: id.number,
            of: id.node,
            method: method,
            arguments: invocation.arguments,
            substitutions: isStable ? [] : try invocation.substitutions.map { try TypeNames.name(of: $0) },
            terms: .current
        )
        call.tracker = id.tracker
        return call
    }

    /// Throws what a reply says, if it is not that the method has returned.
    ///
    /// - Parameter call: The call, for people.
    func check(_ reply: ActorReply, of call: String, at id: LatticeActorID) throws {
        switch reply.code {
        case .returned: break
        case .threw:
            guard let error = try error(in: reply, call) else {
                throw ActorCallError(ActorReply(call: 0, code: .failed, type: reply.type), call)
            }
            throw error
        case .cancelled where !reply.mayHaveBegun:
            throw Task.isCancelled ? CancellationError() : ActorCallError.cancelledThere(call, id)
        default:
            var error = ActorCallError(reply, call)
            error.actor = id
            throw error
        }
    }

    private func error(in reply: ActorReply, _ call: String) throws -> (any Error)? {
        do {
            return try actors.errors.error(named: reply.type ?? "", reply.value ?? [])
        } catch {
            throw ActorCallError.undecodableResult(call, error)
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, from result: EncodedResult) throws -> Value {
        try CodingContext.around(actors) {
            switch result {
            case .value(let bytes):
                return try CBORDecoder().decode(type, from: bytes)
            case .stream(let reader):
                let value = try StreamReader.$result.withValue(reader) {
                    // Something to be decoded, in which nobody looks.
                    try CBORDecoder().decode(type, from: [0xa0])
                }
                guard reader.isTaken else { throw StreamReader.Unwanted() }
                return value
            }
        }
    }
}

extension LatticeActorSystem: CodingContextSource {
    /// What references to actors are made with when they are read.
    package var userInfo: [CodingUserInfoKey: any Sendable] { [.actorSystemKey: self] }
}

/// What a method has returned.
enum EncodedResult {
    case value([UInt8])
    case stream(StreamReader)
}
