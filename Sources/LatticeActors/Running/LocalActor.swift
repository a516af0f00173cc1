import Distributed
import LatticeConcurrency
import LatticeSession

/// An actor of this process. Not kept: whoever made it does that. A class, as to copy a weak reference takes longer
/// than to look this up.
final class LocalActor: Sendable {
    // Set once, and weak references may be read anywhere.
    private nonisolated(unsafe) weak var reference: (any DistributedActor)?
    /// Its methods with stable names; nil: none has one.
    let table: StableTable?
    /// Whether its type says on which executor it runs. Tasks that call it prefer none then: such an executor does not
    /// know of that, so that a task that is there already would be put behind all others once more.
    private let hasOwnExecutor: Bool
    private let hostedOn = Locked(ActorThreads.pool)
    /// The last one.
    private let turn = Locked<CallTurn?>(nil)

    init(_ actor: any DistributedActor, _ table: StableTable?) {
        reference = actor
        self.table = table
        hasOwnExecutor = !Self.isDefault(actor.unownedExecutor, of: actor)
    }

    /// The executor of an actor whose type says nothing is the actor itself.
    private static func isDefault(_ executor: UnownedSerialExecutor, of actor: any DistributedActor) -> Bool {
        withUnsafeBytes(of: executor) { $0.load(as: UInt.self) } == UInt(bitPattern: ObjectIdentifier(actor))
    }

    /// Nil once it is at its end.
    var actor: (any DistributedActor)? { reference }

    /// Where calls of it run.
    var threads: ActorThreads {
        get { hostedOn.withLock(\.self) }
        set { hostedOn.withLock { $0 = newValue } }
    }

    /// What the task of a call prefers.
    func executor(for answer: IncomingCall) -> (any TaskExecutor)? {
        if hasOwnExecutor { return nil }
        if threads == .reader, let reader = answer.readerExecutor { return reader }
        return ThreadPool.shared
    }

    /// What is to be done for a call that was added to a turn.
    enum Adding {
        /// The turn is under way.
        case nothing
        case begin(CallTurn, any DistributedActor)
        /// The actor has ended.
        case refuse
    }

    /// Adds a call behind all that came before.
    func add(_ call: CallTurn.Call) -> Adding {
        turn.withLock { turn in
            // It keeps the actor.
            if let turn, turn.add(call) { return .nothing }
            guard let actor else { return .refuse }
            let new = CallTurn(call)
            turn = new
            return .begin(new, actor)
        }
    }

    /// What comes from now on begins behind something that is about to stand in the actor's queue.
    func closeTurn() {
        turn.withLock(\.self)?.close()
    }
}
