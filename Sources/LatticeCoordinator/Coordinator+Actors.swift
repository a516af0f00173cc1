public import LatticeCore

extension Coordinator: ActorProcess {
    /// The object that sends and receives the calls of actors. It is an implementation detail of Lattice.
    public var _actorNode: any Sendable { node }
}
