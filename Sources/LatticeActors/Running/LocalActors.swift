import Distributed
import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeWire

/// The actors of this process, and the registries that calls of them need.
///
/// This is not the actor system itself because weak references to the system exist. Reference counting of an object
/// without weak references takes a third of the time, measured with `lattice-bench actors`.
final class LocalActors: Sendable {
    private struct Core {
        var lastNumber: UInt64 = 0
        var actors: [UInt64: LocalActor] = [:]
        /// The hosted actors by their names. These references keep the actors alive.
        var hosted: [String: any DistributedActor] = [:]
        weak var system: LatticeActorSystem?
    }

    /// A description of the process.
    let title: String
    let errors = ErrorTypes()
    let types = TypeNames()
    private let core = Locked(Core())

    init(title: String) {
        self.title = title
    }

    /// The actor system, which sets itself once.
    var system: LatticeActorSystem? {
        get { core.withLock(\.system) }
        set { core.withLock { $0.system = newValue } }
    }

    /// The actor with a number, or nil if it has ended or never existed.
    subscript(number: UInt64) -> LocalActor? { core.withLock { $0.actors[number] } }

    /// The number of actors that have not ended.
    var actorCount: Int { core.withLock(\.actors.count) }

    /// Returns the number for the next actor.
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

    /// Keeps an actor alive under a name.
    func keep(_ actor: any DistributedActor, _ name: String) {
        // A replaced actor is released outside of the lock, because this may be its last reference.
        core.releaseAfterUnlock { $0.hosted.updateValue(actor, forKey: name) }
    }

    /// Stops keeping the actor with a name alive.
    ///
    /// - Returns: The actor. The caller drops the reference, which may be the last one, outside of the lock.
    func release(_ name: String) -> (any DistributedActor)? {
        core.withLock { $0.hosted.removeValue(forKey: name) }
    }

    /// Stops keeping any actor alive.
    func releaseAll() {
        // The references are dropped outside of the lock, because they may be the last ones.
        core.releaseAfterUnlock { core in
            defer { core.hosted = [:] }
            return core.hosted
        }
    }
}

extension LocalActors: CodingContextSource {
    /// The values that decoding a reference to an actor needs.
    var userInfo: [CodingUserInfoKey: any Sendable] { system?.userInfo ?? [:] }
}
