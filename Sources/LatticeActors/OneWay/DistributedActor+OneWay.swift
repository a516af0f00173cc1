public import Distributed
import LatticeSession

extension DistributedActor where ActorSystem == LatticeActorSystem {
    /// The same actor, for calls whose answers nobody waits for.
    ///
    /// ```swift
    /// try await journal.oneWay.note("begun")
    /// ```
    ///
    /// Such a call returns when it is on its way, and throws only what says that it is not sent. It has the order of
    /// other calls, and it ends as they do, with an answer, but that is not told: a call that throws, or that is lost
    /// with its process, is counted (``LatticeActorSystem/failedOneWayCalls``), and no more. Once it is on its way,
    /// cancelling the calling task changes nothing; a deadline holds.
    ///
    /// Back pressure: of calls of this process to one actor that have no answer there are at most 1,024. A further one
    /// waits until one of them has ended, and ends with `CancellationError`, or at its deadline, if that comes first.
    ///
    /// It is for methods that return nothing; a call of any other ends with ``ActorCallError/Code/refused``. Of an
    /// actor of this process it is the actor itself, whose calls are plain calls and waited for.
    ///
    /// Its `id` is equal to that of the actor, and what is resolved with it is one-way too: keep the actor's own.
    ///
    /// - Throws: Nothing but what `resolve(id:using:)` does.
    public nonisolated var oneWay: Self {
        get throws {
            var id = id
            id.isOneWay = id.node != actorSystem.node.id
            return try Self.resolve(id: id, using: actorSystem)
        }
    }
}
