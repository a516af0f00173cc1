import Distributed
import LatticeCalls
import LatticeCoding
import LatticeHosting
import LatticeWire

/// Outgoing calls: encoding them, sending them and decoding their answers.
extension LatticeActorSystem {
    /// Calls a method and waits for its answer.
    ///
    /// - Returns: The encoded result of the method.
    /// - Throws: The error that the method threw, or ``ActorCallError``.
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

    /// Sends a call without waiting for its answer.
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
            context: .current
        )
        call.tracker = id.tracker
        return call
    }

    /// Throws the error of a reply, if the reply is not a successful return.
    ///
    /// - Parameters:
    ///   - reply: The reply of the call.
    ///   - call: A description of the call for error messages.
    ///   - id: The identity of the actor that was called.
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
                    // The decoder needs a value, but nothing reads it. This is an empty map.
                    try CBORDecoder().decode(type, from: [0xa0])
                }
                guard reader.isTaken else { throw StreamReader.Unwanted() }
                return value
            }
        }
    }
}

extension LatticeActorSystem: CodingContextSource {
    /// The values that decoding a reference to an actor needs.
    package var userInfo: [CodingUserInfoKey: any Sendable] { [.actorSystemKey: self] }
}

/// The encoded result of a method.
enum EncodedResult {
    /// One encoded value.
    case value([UInt8])
    /// A stream, whose elements arrive in later messages.
    case stream(StreamReader)
}
