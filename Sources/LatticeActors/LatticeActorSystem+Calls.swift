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
        case .outcome(let outcome):
            return .value(try value(of: outcome, of: "\(target) of \(id)", at: id))
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

    /// Returns the encoded result of a call, which is empty if its method returns nothing.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the call.
    ///   - call: A description of the call for error messages.
    ///   - id: The identity of the actor that was called.
    /// - Throws: The error that the method threw, or ``ActorCallError``.
    @discardableResult
    func value(of outcome: CallOutcome, of call: @autoclosure () -> String, at id: LatticeActorID) throws -> [UInt8] {
        switch outcome {
        case .returned(let value): return value ?? []
        case .threw(let type, let bytes):
            let error: (any Error)?
            do {
                error = try actors.errors.error(named: type, bytes ?? [])
            } catch {
                throw ActorCallError.undecodableResult(call(), error)
            }
            throw error ?? ActorCallError(CallFailure(.failed, type: type), call())
        case .failed(let failure) where failure.code == .cancelled && !failure.mayHaveBegun:
            throw Task.isCancelled ? CancellationError() : ActorCallError.cancelledThere(call(), id)
        case .failed(let failure):
            var error = ActorCallError(failure, call())
            error.actor = id
            throw error
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
