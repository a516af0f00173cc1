public import Distributed
import LatticeCalls

extension DistributedActor where ActorSystem == LatticeActorSystem {
    /// A reference to the same actor whose calls return without waiting for an answer.
    ///
    /// ```swift
    /// try await journal.oneWay.note("begun")
    /// ```
    ///
    /// Such a call returns when it has been queued for sending. It throws only if it cannot be sent. One-way calls keep
    /// their order among all calls of the actor. Each one ends with an answer as other calls do, but the caller does
    /// not receive it. A call that throws, or that is lost with its process, is only counted in
    /// ``LatticeActorSystem/failedOneWayCalls``. Cancelling the calling task has no effect on a call that has been
    /// queued. A deadline does apply.
    ///
    /// Back pressure: At most 1,024 calls from this process to one actor can be unanswered. A further call waits until
    /// one of them has ended. It ends with `CancellationError` or at its deadline if that comes first.
    ///
    /// Use it for methods that return nothing. A call of any other method ends with ``ActorCallError/Code/refused``.
    /// For an actor of this process, the reference is the actor itself, and its calls are ordinary local calls that are
    /// awaited.
    ///
    /// The `id` of the reference equals the `id` of the actor, and a reference that is resolved with it is one-way too.
    /// Store the `id` of the actor itself instead.
    ///
    /// - Throws: The errors of `resolve(id:using:)`.
    public nonisolated var oneWay: Self {
        get throws {
            var id = id
            id.isOneWay = id.node != actorSystem.node.id
            return try Self.resolve(id: id, using: actorSystem)
        }
    }
}
