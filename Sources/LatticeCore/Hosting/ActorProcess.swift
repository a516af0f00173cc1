/// A part of a program whose process can host and call distributed actors.
///
/// `Worker`, `Coordinator` and `Client` conform to this protocol. Pass one of them to `LatticeActorSystem` of
/// LatticeActors to create the actor system of the process:
///
/// ```swift
/// let system = LatticeActorSystem(worker)
/// ```
///
/// Do not conform other types to this protocol. An actor system cannot be created with them.
public protocol ActorProcess: Sendable {
    /// The object that sends and receives the calls of actors. It is an implementation detail of Lattice.
    var _actorNode: any Sendable { get }
}
