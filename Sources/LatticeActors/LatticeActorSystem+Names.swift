public import Distributed
import LatticeCalls
import LatticeConcurrency
import LatticeWire

extension LatticeActorSystem {
    /// The maximum size of a name, in bytes of UTF-8.
    public static var maximumNameBytes: Int { MessageLimits.maximumIdentifier }

    /// Creates an actor, keeps it alive, and publishes it under a name in all processes.
    ///
    /// In a worker, call this function before `run()`. Processes that wait for the name then find the actor as soon as
    /// the worker has started.
    ///
    /// Methods of a private type cannot be called from other processes, because the type has no unique name. Make the
    /// type internal, or call it through a protocol with `@Resolvable`.
    ///
    /// - Parameters:
    ///   - name: The name of the actor, of 1 to 255 bytes. Several workers can serve the same name, and callers are
    ///     spread over them. A name that the coordinator or a worker serves is never resolved to an actor in a client.
    ///   - threads: The threads on which its calls run. If an actor is hosted under several names, the last call of
    ///     this function decides. An actor whose type has its own executor runs there instead.
    ///   - make: Creates the actor with the given system.
    /// - Returns: The actor that `make` created.
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/refused`` if this process already serves the name, if it
    ///   serves the maximum number of names, or if the name is empty or too long, and any error that `make` throws.
    @discardableResult
    public func host<Act: DistributedActor>(
        _ name: String,
        on threads: ActorThreads = .pool,
        _ make: (LatticeActorSystem) throws -> Act
    ) throws -> Act where Act.ActorSystem == LatticeActorSystem {
        guard 1...Self.maximumNameBytes ~= name.utf8.count else {
            throw ActorCallError(
                .refused,
                "a name has 1 to \(Self.maximumNameBytes) bytes, and this one has \(name.utf8.count); choose another"
                    + " name",
                .notSent
            )
        }
        let actor = try make(self)
        guard actor.id.node == node.id else {
            throw ActorCallError(
                .refused,
                "an actor of another process or another system cannot be hosted; create it with the system that is"
                    + " passed in",
                .notSent
            )
        }
        // This happens before the name is published, so no call runs on the wrong threads.
        actors[actor.id.number]?.threads = threads
        guard node.publish(name, actor.id.number) else {
            throw ActorCallError(
                .refused,
                "this process already serves \"\(name)\" or \(CallLimits.maximumNames) names; choose another name, or"
                    + " withdraw one",
                .notSent
            )
        }
        actors.keep(actor, name)
        return actor
    }

    /// Stops publishing the actor that was hosted under a name, and releases it.
    ///
    /// The actor ends when no other reference keeps it. Calls that are running continue until they end.
    ///
    /// - Parameter name: The name under which the actor was hosted.
    public func withdraw(_ name: String) {
        // The actor is no longer kept before its name becomes free, because the next actor is kept under the same name.
        // The reference may be the last one. It is dropped when no lock is held.
        withExtendedLifetime(actors.release(name)) { node.withdraw(name) }
    }

    /// Finds the actor with a name: an actor of this process if there is one, and otherwise an actor of another
    /// process.
    ///
    /// ```swift
    /// let thumbnailer = try await system.resolve(Thumbnailer.self, named: "thumbnailer", within: .seconds(5))
    /// ```
    ///
    /// The reference belongs to one incarnation of the actor. When its worker dies, running calls end with
    /// ``ActorCallError/Code/lost``, and later calls end with ``ActorCallError/Code/unknownProcess``. Resolve the name
    /// again to call the next incarnation.
    ///
    /// - Parameters:
    ///   - type: The type of the actor, or the type that `@Resolvable` creates for one of its protocols, such as
    ///     `$Greeter`.
    ///   - name: The name under which the actor is hosted.
    ///   - limit: The time to wait until a process serves the name, for example a worker that is being restarted. With
    ///     zero, a name that no process serves is an error immediately.
    /// - Returns: A reference to the actor.
    /// - Throws: ``ActorCallError`` with ``ActorCallError/Code/unknownName`` if no process serves the name within
    ///   `limit`, ``ActorCallError/Code/deadlinePassed`` if a deadline of the task passed earlier,
    ///   ``ActorCallError/Code/unknownProcess`` if there is no connection to a coordinator, and
    ///   ``ActorCallError/Code/unknownMethod`` if both sides have a table of stable names and a method of `type` is
    ///   missing in the actor's table or has another signature. `CancellationError` if the task is cancelled.
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
            if failure.code == .cancelled { throw CancellationError() }
            throw ActorCallError(failure, "looking for \"\(name)\"")
        }
        throw ActorCallError(.refused, "the coordinator names no process for \"\(name)\"", .notSent)
    }

    /// Registers error types that travel between processes as values, if they are registered on both sides.
    ///
    /// All other errors arrive as ``ActorCallError/Code/threw`` with the names of their types only.
    ///
    /// - Parameter types: The error types. They are identified by their names, including those of their modules.
    public func register<each Failure: Error & Codable>(errors types: repeat (each Failure).Type) {
        for type in repeat each types { actors.errors.add(type) }
    }

    /// Returns the encoded error, or nil if its type is not registered.
    package func encodedIfRegistered(_ error: any Error) -> [UInt8]? { actors.errors.encoded(error) }

    /// Decodes an error of another process.
    ///
    /// - Parameters:
    ///   - name: The name of the error's type, including its module.
    ///   - bytes: The encoded error.
    /// - Returns: The error, or nil if its type is not registered here or the bytes are not an error of this type.
    package func errorIfRegistered(named name: String, _ bytes: [UInt8]) -> (any Error)? {
        // Without the error there is still its description.
        try? actors.errors.error(named: name, bytes)
    }

    /// Registers types with which generic methods of this process's actors can be called.
    ///
    /// - Parameter list: The types.
    /// - Throws: ``ActorCallError`` for a type that has no unique name, such as a private one.
    public func register(types list: any (Codable & Sendable).Type...) throws {
        for type in list { try actors.types.register(type) }
    }
}
