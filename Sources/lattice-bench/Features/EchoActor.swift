import Distributed
import LatticeActors

/// An actor that answers with its argument.
distributed actor EchoActor: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    /// The name of the actor that runs on the thread that reads the calls.
    static let name = "echo"
    /// The name of the actor that runs on the threads of a pool.
    static let poolName = "pool echo"
    /// The arguments of the worker that serves the actors. All other workers only serve features.
    static let workerArguments = ["actors"]
    static let group = "actors"

    distributed func echo(_ bytes: NumberedBytes) -> NumberedBytes { bytes }

    distributed func compute(_ job: ComputingJob) -> UInt64 { job.run() }

    /// Receives bytes and returns nothing.
    distributed func note(_ bytes: NumberedBytes) {}

    distributed func numbers(to end: Int) -> ActorStream<Int> { ActorStream(0..<end) }

    /// Returns the allocations of the thread on which this method runs, or nil if they are not counted.
    distributed func allocations() -> Int? { Allocations.ofThisThread }

    // The table is written by hand, because this program is built without macros.
    static var stableMethods: [StableMethod] {
        [
            StableMethod("echo(_:)") { (actor: isolated Self, bytes: NumberedBytes) in actor.echo(bytes) },
            StableMethod("note(_:)") { (actor: isolated Self, bytes: NumberedBytes) in actor.note(bytes) },
            StableMethod("numbers(to:)") { (actor: isolated Self, end: Int) in actor.numbers(to: end) },
            StableMethod("allocations()") { (actor: isolated Self) in actor.allocations() },
        ]
    }
}
