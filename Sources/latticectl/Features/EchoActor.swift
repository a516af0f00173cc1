import Distributed
import LatticeActors

/// Answers with what it is given.
distributed actor EchoActor: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    /// Of the one that runs on the thread that reads the calls.
    static let name = "echo"
    /// Of one that runs on threads of its own.
    static let poolName = "pool echo"
    /// Those of a worker that serves it: all others serve features alone.
    static let workerArguments = ["actors"]
    static let group = "actors"

    distributed func echo(_ bytes: NumberedBytes) -> NumberedBytes { bytes }

    distributed func compute(_ job: ComputingJob) -> UInt64 { job.run() }

    /// Hears, and says nothing.
    distributed func note(_ bytes: NumberedBytes) {}

    distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream(0..<end) }

    /// What the thread has allocated that runs this; nil where nobody counts.
    distributed func allocations() -> Int? { Allocations.ofThisThread }

    // By hand: this program is built without macros.
    static var stableMethods: [StableMethod] {
        [
            StableMethod("echo(_:)") { (actor: isolated Self, bytes: NumberedBytes) in actor.echo(bytes) },
            StableMethod("note(_:)") { (actor: isolated Self, bytes: NumberedBytes) in actor.note(bytes) },
            StableMethod("numbers(to:)") { (actor: isolated Self, end: Int) in actor.numbers(to: end) },
            StableMethod("allocations()") { (actor: isolated Self) in actor.allocations() },
        ]
    }
}
