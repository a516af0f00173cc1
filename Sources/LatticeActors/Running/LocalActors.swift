import Distributed
import LatticeCoding
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// The actors of this process, and what is needed to run calls of them.
///
/// Not the system itself, to which there are weak references: what each call refers to is counted in a third of the
/// time where there are none, measured with `latticectl bench actors`.
final class LocalActors: Sendable {
    private struct Core {
        var lastNumber: UInt64 = 0
        var actors: [UInt64: LocalActor] = [:]
        /// Those that are kept, by their names.
        var hosted: [String: any DistributedActor] = [:]
        weak var system: LatticeActorSystem?
    }

    /// The process, for people.
    let title: String
    let errors = ErrorTypes()
    let types = TypeNames()
    private let core = Locked(Core())

    init(title: String) {
        self.title = title
    }

    /// Set by that itself, once.
    var system: LatticeActorSystem? {
        get { core.withLock(\.system) }
        set { core.withLock { $0.system = newValue } }
    }

    /// One that has not ended, of which somebody knows.
    subscript(number: UInt64) -> LocalActor? { core.withLock { $0.actors[number] } }

    /// - Returns: The number of the next one.
    func makeNumber() -> UInt64 {
        core.withLock { core in
            core.lastNumber += 1
            return core.lastNumber
        }
    }

    func add(_ actor: LocalActor, _ number: UInt64) {
        core.withLock { $0.actors[number] = actor }
    }

    func remove(_ number: UInt64) {
        core.withLock { $0.actors[number] = nil }
    }

    /// Keeps an actor under a name.
    func keep(_ actor: any DistributedActor, _ name: String) {
        // What it replaces is let go of outside of the lock: it may be the last reference.
        _ = core.withLock { $0.hosted.updateValue(actor, forKey: name) }
    }

    /// - Returns: What was kept, which may be the last reference.
    func letGo(of name: String) -> (any DistributedActor)? {
        core.withLock { $0.hosted.removeValue(forKey: name) }
    }

    /// Keeps none any more.
    func letGo() {
        // Outside of the lock: they may be the last references.
        _ = core.withLock { core in
            defer { core.hosted = [:] }
            return core.hosted
        }
    }
}

extension LocalActors: CodingContextSource {
    /// What references to actors are made with when they are read.
    var userInfo: [CodingUserInfoKey: any Sendable] { system?.userInfo ?? [:] }
}
