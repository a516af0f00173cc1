public import Distributed
import LatticeCoding
import LatticeConcurrency
public import LatticeSession
import LatticeWire

/// Distributed actors over the sessions between workers, their coordinator and its clients.
///
/// One is made with the node of a worker, a coordinator or a client. What is published with it can be called from each
/// of these processes:
///
/// ```swift
/// distributed actor Thumbnailer {
///     typealias ActorSystem = LatticeActorSystem
///     distributed func thumbnail(of path: String) throws -> [UInt8] { try render(path) }
/// }
///
/// // In the worker
/// let system = LatticeActorSystem(worker.node)
/// try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) }
/// try await worker.run()
///
/// // In the coordinator, a client, or another worker
/// let system = LatticeActorSystem(client.node)
/// let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
/// let image = try await thumbnailer.thumbnail(of: path)
/// ```
///
/// Calls of one process to one actor begin in the order in which they were made, and interleave where the actor awaits.
/// Each ends once: with what the method returned or threw, or with an ``ActorCallError``. A call of an actor in the
/// same process is a plain call.
public final class LatticeActorSystem: DistributedActorSystem {
    public typealias ActorID = LatticeActorID
    public typealias InvocationEncoder = CallEncoder
    public typealias InvocationDecoder = CallDecoder
    public typealias ResultHandler = CallResult
    public typealias SerializationRequirement = any Codable

    let node: ActorNode
    let actors: LocalActors
    let stableNames = StableNames()
    let agreements = StableAgreements()
    let oneWay = OneWayCalls()

    /// The actors of this process.
    ///
    /// Actors that are part of actions and states are made with the first system of the process that has a node: there
    /// is one, but in tests.
    ///
    /// - Parameter node: That of the worker, coordinator or client. There is one system for each.
    public convenience init(_ node: ActorNode) {
        self.init(at: node)
        CodingContext.offer(self)
    }

    /// Actors of this process alone, as in a test of an actor by itself.
    public convenience init() {
        self.init(at: ActorNode(isHub: true, title: "process"))
    }

    private init(at node: ActorNode) {
        self.node = node
        actors = LocalActors(title: node.title)
        actors.system = self
        node.connect(actors)
    }

    /// Answers that came when nobody waited for them any more, as behind a deadline. They were dropped.
    public var lateReplies: Int { node.lateReplies }

    /// Calls for whose answers nobody waited that were sent and have not returned: they threw, or were lost.
    public var failedOneWayCalls: Int { oneWay.failed }

    // MARK: Actors of this process

    public func resolve<Act>(id: LatticeActorID, as actorType: Act.Type) throws -> Act?
    where Act: DistributedActor, Act.ID == LatticeActorID {
        guard id.node == node.id, let actor = actors[id.number]?.actor else { return nil }
        // Of what `@Resolvable` made of a protocol, calls of an actor of this process are coded too.
        return actor as? Act
    }

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

    public func actorReady<Act>(_ actor: Act) where Act: DistributedActor, Act.ID == LatticeActorID {
        let table = StableTable.of(Act.self)
        actors.add(LocalActor(actor, table), actor.id.number)
    }

    public func resignID(_ id: LatticeActorID) {
        actors.remove(id.number)
        node.actorEnded(id.number)
    }

    // MARK: Calls of others

    public func makeInvocationEncoder() -> CallEncoder { CallEncoder() }

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
                "\(target) returns something, for which nobody would wait; call the actor itself, and not its oneWay",
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
