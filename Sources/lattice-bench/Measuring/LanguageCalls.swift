import Distributed
import LatticeCalls
import LatticeConcurrency
import LatticeTransport

/// Measures how long the Swift runtime takes to call a method of an actor by its name. Nothing else is included:
/// arguments and results are passed without being encoded.
@MainActor struct LanguageCalls {
    func run(_ count: Int) async throws -> Latencies {
        let system = BareSystem()
        let actor = BareActor(actorSystem: system)
        // Everything runs on one thread, so that no other thread has to be woken.
        let reactor = try Reactor.start(name: "bench")
        defer { reactor.stop() }
        return try await Task(executorPreference: EventLoopTaskExecutor(reactor)) {
            var latencies = Latencies()
            for number in 1...count {
                let start = SuspendingClock.now
                let answer = try await actor.whenLocal { try await $0.callByName(number) }
                latencies.record(start.duration(to: .now))
                guard answer == number else { throw BenchError("call \(number) was answered with \(answer ?? 0)") }
            }
            return latencies
        }.value
    }
}

/// An actor for the measurement. It is not private, because a private type has no name by which its methods could be
/// called.
distributed actor BareActor {
    typealias ActorSystem = BareSystem

    distributed func echo(_ number: Int) -> Int { number }

    /// Calls `echo` by its name. This runs on the actor itself, so that no thread is changed.
    func callByName(_ number: Int) async throws -> Int {
        var decoder = BareDecoder(number: number)
        let result = BareResult()
        let target = RemoteCallTarget(BareSystem.method)
        try await actorSystem.executeDistributedTarget(
            on: self,
            target: target,
            invocationDecoder: &decoder,
            handler: result
        )
        return result.value
    }
}

/// An actor system that only supports calls in this process and encodes nothing.
final class BareSystem: DistributedActorSystem {
    typealias ActorID = Int
    typealias InvocationEncoder = BareEncoder
    typealias InvocationDecoder = BareDecoder
    typealias ResultHandler = BareResult
    typealias SerializationRequirement = any Codable

    /// The mangled name of ``BareActor``'s `echo`.
    static let method = "$s" + (_mangledTypeName(BareActor.self) ?? "") + "4echoyS2iYaKFTE"

    func resolve<Act: DistributedActor>(id: Int, as type: Act.Type) -> Act? where Act.ID == Int { nil }
    func assignID<Act: DistributedActor>(_ type: Act.Type) -> Int where Act.ID == Int { 1 }
    func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == Int {}
    func resignID(_ id: Int) {}
    func makeInvocationEncoder() -> BareEncoder { BareEncoder() }

    func remoteCall<Act, Err, Res>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BareEncoder,
        throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act: DistributedActor, Act.ID == Int, Err: Error, Res: Codable {
        throw BenchError("this system has no actors in other processes")
    }

    func remoteCallVoid<Act, Err>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout BareEncoder,
        throwing: Err.Type
    ) async throws where Act: DistributedActor, Act.ID == Int, Err: Error {
        throw BenchError("this system has no actors in other processes")
    }
}

/// An encoder that encodes nothing.
struct BareEncoder: DistributedTargetInvocationEncoder {
    typealias SerializationRequirement = any Codable

    mutating func recordGenericSubstitution<T>(_ type: T.Type) {}
    mutating func recordArgument<Value: Codable>(_ argument: RemoteCallArgument<Value>) throws {}
    mutating func recordReturnType<R: Codable>(_ type: R.Type) throws {}
    mutating func recordErrorType<E: Error>(_ type: E.Type) {}
    mutating func doneRecording() {}
}

/// A decoder that returns the one argument of the call.
struct BareDecoder: DistributedTargetInvocationDecoder {
    typealias SerializationRequirement = any Codable

    let number: Int

    mutating func decodeGenericSubstitutions() -> [any Any.Type] { [] }

    mutating func decodeNextArgument<Argument: Codable>() throws -> Argument {
        guard let argument = number as? Argument else { throw BenchError("an argument of another type is requested") }
        return argument
    }

    mutating func decodeReturnType() -> (any Any.Type)? { nil }
    mutating func decodeErrorType() -> (any Any.Type)? { nil }
}

/// A result handler that keeps the result.
final class BareResult: DistributedTargetInvocationResultHandler, Sendable {
    typealias SerializationRequirement = any Codable

    private let result = Locked(0)

    var value: Int { result.withLock(\.self) }

    func onReturn<Success: Codable>(value: Success) async throws {
        guard let value = value as? Int else { throw BenchError("the result has another type") }
        result.withLock { $0 = value }
    }

    func onReturnVoid() async throws {}
    func onThrow<Failure: Error>(error: Failure) async throws { throw error }
}
