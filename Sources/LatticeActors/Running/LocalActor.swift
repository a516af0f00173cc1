import Distributed
import LatticeCalls
import LatticeConcurrency

/// An actor of this process. The reference to the actor is weak, because the code that created the actor keeps it.
///
/// This is a class because copying a weak reference takes longer than looking up this object.
final class LocalActor: Sendable {
    // Set once. Weak references can be read from any thread.
    private nonisolated(unsafe) weak var reference: (any DistributedActor)?
    /// The methods with stable names, or nil if the actor has no table.
    let table: StableTable?
    /// A Boolean value that indicates whether the actor's type defines its own executor. Tasks that call such an actor
    /// have no executor preference. The actor's executor ignores preferences, so a task would be queued once more
    /// although it already runs there.
    private let hasOwnExecutor: Bool
    /// A Boolean value that indicates whether methods of the actor use ``CurrentCall``.
    let readsCall: Bool
    private let hostedOn = Locked(ActorThreads.pool)
    /// The most recent batch.
    private let batch = Locked<CallBatch?>(nil)

    init(_ actor: any DistributedActor, _ table: StableTable?) {
        reference = actor
        self.table = table
        readsCall = actor is any CallReading
        hasOwnExecutor = !Self.isDefault(actor.unownedExecutor, of: actor)
    }

    /// Returns whether an actor uses the default executor, which is the actor itself.
    private static func isDefault(_ executor: UnownedSerialExecutor, of actor: any DistributedActor) -> Bool {
        withUnsafeBytes(of: executor) { $0.load(as: UInt.self) } == UInt(bitPattern: ObjectIdentifier(actor))
    }

    /// The actor, or nil if it has ended.
    var actor: (any DistributedActor)? { reference }

    /// The threads on which calls of the actor run.
    var threads: ActorThreads {
        get { hostedOn.withLock(\.self) }
        set { hostedOn.withLock { $0 = newValue } }
    }

    /// Returns the executor that the task of a call prefers.
    func executor(for answer: IncomingCall) -> (any TaskExecutor)? {
        if hasOwnExecutor { return nil }
        if threads == .reader, let reader = answer.readerExecutor { return reader }
        return ThreadPool.shared
    }

    /// The result of adding a call to a batch.
    enum Adding {
        /// The call was added to a batch that is already running.
        case added
        /// The call was added to a new batch, which has to be started.
        case begin(CallBatch, any DistributedActor)
        /// The call is refused because the actor has ended.
        case refuse
    }

    /// Adds a call after all earlier ones.
    func add(_ call: CallBatch.Call) -> Adding {
        batch.withLock { batch in
            // A batch that accepts calls keeps the actor alive.
            if let batch, batch.add(call) { return .added }
            guard let actor else { return .refuse }
            let new = CallBatch(call)
            batch = new
            return .begin(new, actor)
        }
    }

    /// Closes the current batch, because other work is about to be queued in the actor. Later calls begin after that
    /// work.
    func closeBatch() {
        batch.withLock(\.self)?.close()
    }
}
