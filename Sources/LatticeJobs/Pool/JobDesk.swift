import Distributed
import LatticeActors

/// Receives what workers and clients send to a pool, in the process of the coordinator.
distributed actor JobDesk {
    typealias ActorSystem = LatticeActorSystem

    private weak let pool: JobPool?

    init(of pool: JobPool, actorSystem: LatticeActorSystem) {
        self.pool = pool
        self.actorSystem = actorSystem
    }

    /// Records a progress report of an attempt.
    distributed func progressed(_ attempt: UInt64, _ progress: JobProgress, _ count: UInt64) {
        pool?.progressed(attempt, progress, count)
    }
}
