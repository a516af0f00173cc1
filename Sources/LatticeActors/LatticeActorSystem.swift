public import Distributed
package import LatticeCalls
import LatticeCoding
import LatticeConcurrency
public import LatticeCore
import LatticeWire

/// An actor system that connects the actors of workers, their coordinator and its clients.
///
/// Create a system for a worker, a coordinator or a client. An actor that is hosted by one of them can be
/// called from each of these processes:
///
/// ```swift
/// distributed actor Thumbnailer {
///     typealias ActorSystem = LatticeActorSystem
///     distributed func thumbnail(of path: String) throws -> [UInt8] { try render(path) }
/// }
///
/// // In the worker
/// let system = LatticeActorSystem(worker)
/// try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) }
/// try await worker.run()
///
/// // In the coordinator, a client, or another worker
/// let system = LatticeActorSystem(client)
/// let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
/// let image = try await thumbnailer.thumbnail(of: path)
/// ```
///
/// Calls from one process to one actor begin in the order in which they were made, and interleave where the actor
/// awaits. Each call ends exactly once: with the result or error of the method, or with an ``ActorCallError``. A call
/// of an actor in the same process is an ordinary local call.
public final class LatticeActorSystem: DistributedActorSystem {
    /// The type of the identities of actors.
    public typealias ActorID = LatticeActorID
    /// The type that encodes the arguments of a call.
    public typealias InvocationEncoder = CallEncoder
    /// The type that decodes the arguments of a call.
    public typealias InvocationDecoder = CallDecoder
    /// The type that answers a call.
    public typealias ResultHandler = CallResult
    /// The requirement on arguments and results of distributed methods.
    public typealias SerializationRequirement = any Codable

    /// The node that sends and receives the calls.
    package let node: ActorNode
    let actors: LocalActors
    let stableNames = StableNames()
    let agreements = StableAgreements()
    let oneWay = OneWayCalls()

    /// Creates a system for the actors of this process.
    ///
    /// Decoding an action or a state can require references to actors. These references use the first system of the
    /// process that was created with this initializer. Programs other than tests have only one.
    ///
    /// - Parameter process: The `Worker`, `Coordinator` or `Client` of this process. Create one system for each of
    ///   them.
    public convenience init(_ process: some ActorProcess) {
        guard let node = process._actorNode as? ActorNode else {
            preconditionFailure("\(type(of: process)) is neither a Worker nor a Coordinator nor a Client.")
        }
        self.init(node)
    }

    /// Creates a system for the actors of a node.
    package convenience init(_ node: ActorNode) {
        self.init(at: node)
        CodingContext.offer(self)
    }

    /// Creates a system whose actors can only be called in this process, for example to test an actor alone.
    public convenience init() {
        self.init(at: ActorNode(isHub: true, title: "process"))
    }

    private init(at node: ActorNode) {
        self.node = node
        actors = LocalActors(title: node.title)
        actors.system = self
        node.connect(actors)
    }

    /// The number of answers that arrived when no caller waited for them any more, for example after a deadline. Such
    /// answers are dropped.
    public var lateReplies: Int { node.lateReplies }

    /// The number of one-way calls that were sent and did not return, because they threw an error or were lost.
    public var failedOneWayCalls: Int { oneWay.failed }

    // MARK: Actors of this process

    /// Returns the actor with an identity if it lives in this process, and nil for an actor of another process.
    public func resolve<Act>(id: LatticeActorID, as actorType: Act.Type) throws -> Act?
    where Act: DistributedActor, Act.ID == LatticeActorID {
        guard id.node == node.id, let actor = actors[id.number]?.actor else { return nil }
        // A reference that `@Resolvable` created for a protocol is no `Act`. Its calls are encoded even in this
        // process.
        return actor as? Act
    }

    /// Assigns an identity to a new actor of this process.
    public func assignID<Act>(_ actorType: Act.Type) -> LatticeActorID
    where Act: DistributedActor, Act.ID == LatticeActorID {
        let number = actors.makeNumber()
        var id = LatticeActorID(
            node: node.id,
            number: number,
            name: nil,
            incarnation: node.incarnation,
            process: node.title
        )
        id.hasTable = StableTable.of(actorType) != nil
        return id
    }

    /// Registers an actor of this process, which can be called from now on.
    public func actorReady<Act>(_ actor: Act) where Act: DistributedActor, Act.ID == LatticeActorID {
        let table = StableTable.of(Act.self)
        actors.add(LocalActor(actor, table), actor.id.number)
    }

    /// Unregisters an actor that ends, and informs the tasks that wait for its end.
    public func resignID(_ id: LatticeActorID) {
        actors.remove(id.number)
        node.actorEnded(id.number)
    }

    // MARK: Calls of others

    /// Creates an encoder for the arguments of one call.
    public func makeInvocationEncoder() -> CallEncoder { CallEncoder() }

    /// Calls a method of an actor in another process and returns its result.
    nonisolated(nonsending) public func remoteCall<Act, Err, Res>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout CallEncoder,
        throwing: Err.Type,
        returning: Res.Type
    ) async throws -> Res where Act: DistributedActor, Act.ID == LatticeActorID, Err: Error, Res: Codable {
        guard !actor.id.isOneWay else {
            throw ActorCallError(
                .refused,
                "\(target) returns a value, so its caller has to wait; call the actor itself, and not its oneWay",
                .notSent
            )
        }
        let result = try await call(actor.id, Act.self, target, invocation)
        do {
            return try decode(Res.self, from: result)
        } catch {
            throw ActorCallError.undecodableResult("\(target) of \(actor.id)", error)
        }
    }

    /// Calls a method of an actor in another process that returns nothing.
    nonisolated(nonsending) public func remoteCallVoid<Act, Err>(
        on actor: Act,
        target: RemoteCallTarget,
        invocation: inout CallEncoder,
        throwing: Err.Type
    ) async throws where Act: DistributedActor, Act.ID == LatticeActorID, Err: Error {
        guard !actor.id.isOneWay else { return try await send(actor.id, Act.self, target, invocation) }
        let result = try await call(actor.id, Act.self, target, invocation)
        if case .stream(let reader) = result {
            throw ActorCallError.undecodableResult(reader.call, StreamReader.Unwanted())
        }
    }
}
