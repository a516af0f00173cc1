public import Distributed
import LatticeConcurrency
import LatticeSession
import LatticeWire

extension LatticeActorSystem {
    /// Bytes that a name may have.
    public static var maximumNameBytes: Int { MessageLimits.maximumIdentifier }

    /// Makes an actor, keeps it, and has all processes find it under a name.
    ///
    /// In a worker it belongs before `run()`: then whoever waits for the name finds it as soon as the worker is there.
    ///
    /// A type that is private has no name by which its methods could be called from elsewhere: it is to be internal, or
    /// to be called by a protocol that is `@Resolvable`.
    ///
    /// - Parameters:
    ///   - name: 1 to 255 bytes. Several workers may serve the same; those who look for it spread over them. A name
    ///     that the coordinator or a worker serves is never found at a client.
    ///   - threads: Where its calls run; those of an actor with several names, as it was hosted last. An actor whose
    ///     type has an executor of its own runs there.
    ///   - make: Makes the actor, with the system that it is given.
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/refused`` if this process serves the name already, or as
    ///   many as it may, or if the name has a length that is not allowed; what `make` throws.
    @discardableResult
    public func host<Act: DistributedActor>(
        _ name: String,
        on threads: ActorThreads = .pool,
        _ make: (LatticeActorSystem) throws -> Act
    ) throws -> Act where Act.ActorSystem == LatticeActorSystem {
        guard 1...Self.maximumNameBytes ~= name.utf8.count else {
            throw ActorCallError(
                .refused,
                "a name has 1 to \(Self.maximumNameBytes) bytes, and this one \(name.utf8.count); choose another one",
                .notSent
            )
        }
        let actor = try make(self)
        guard actor.id.node == node.id else {
            throw ActorCallError(
                .refused,
                "an actor of another process, or of another system, cannot be hosted; make one with the system given",
                .notSent
            )
        }
        // Before anybody can find it.
        actors[actor.id.number]?.threads = threads
        guard node.publish(name, actor.id.number) else {
            throw ActorCallError(
                .refused,
                "this process serves \"\(name)\" already, or \(CallLimits.maximumNames) names; choose another one, or"
                    + " withdraw one",
                .notSent
            )
        }
        actors.keep(actor, name)
        return actor
    }

    /// Lets go of an actor that was hosted under this name: nobody finds it any more. It ends when nobody else keeps
    /// it, and calls of it that run go on to their end.
    public func withdraw(_ name: String) {
        // Before the name is free for another one; let go of outside of the lock, as it may be the last reference.
        let actor = actors.letGo(of: name)
        node.withdraw(name)
        _ = actor
    }

    /// The actor of this name: one of this process if it has one, else one of another.
    ///
    /// ```swift
    /// let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
    /// ```
    ///
    /// What is found is one life of it: when its worker dies, its calls end with ``ActorCallError/Code/lost``, and
    /// later ones with ``ActorCallError/Code/unknownProcess``. Look for the name again to call the next life.
    ///
    /// - Parameters:
    ///   - type: The actor's, or what `@Resolvable` makes of a protocol of it, such as `$Greeter`.
    ///   - limit: How long to wait for somebody to serve the name, as for a worker that is started again; zero: it is
    ///     an error if nobody does.
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/unknownName`` if nobody serves it, or nobody within
    ///   `limit`, ``ActorCallError/Code/deadlinePassed`` if a deadline of the task was sooner,
    ///   ``ActorCallError/Code/unknownProcess`` if there is no connection to a coordinator, and
    ///   ``ActorCallError/Code/unknownMethod`` if both have a table of stable names and what is in that of `type` is
    ///   missing there, or has another signature; `CancellationError`.
    public func resolve<Act: DistributedActor>(
        _ type: Act.Type,
        named name: String,
        within limit: Duration = .zero
    ) async throws -> Act where Act.ActorSystem == LatticeActorSystem {
        switch await node.find(name, within: limit) {
        case .success(let place):
            guard let id = LatticeActorID(place, name: name) else { break }
            return try Act.resolve(id: try await agreed(on: id, as: type), using: self)
        case .failure(let failure):
            if failure.reply.code == .cancelled { throw CancellationError() }
            throw ActorCallError(failure.reply, "looking for \"\(name)\"")
        }
        throw ActorCallError(.refused, "the coordinator names no process for \"\(name)\"", .notSent)
    }

    /// Lets errors of these types travel as values, if they are registered on both sides. All others arrive as
    /// ``ActorCallError/Code/threw``, with nothing but the names of their types.
    ///
    /// - Parameter types: Known by their names, with those of their modules.
    public func register<each Failure: Error & Codable>(errors types: repeat (each Failure).Type) {
        for type in repeat each types { actors.errors.add(type) }
    }

    /// Lets generic methods of this process's actors be called with these types.
    ///
    /// - Throws: ``ActorCallError`` for a type without a name.
    public func register(types list: any (Codable & Sendable).Type...) throws {
        for type in list { try actors.types.register(type) }
    }
}
