import Distributed
import LatticeActors
import LatticeConcurrency

/// An actor of the caller's process. Methods get it as an argument and call it back.
distributed actor ChaosCaller {
    typealias ActorSystem = LatticeActorSystem

    private let confirmations: CallConfirmations

    init(actorSystem: LatticeActorSystem, _ confirmations: CallConfirmations) {
        self.actorSystem = actorSystem
        self.confirmations = confirmations
    }

    /// Confirms a call and returns its identifier.
    distributed func confirm(_ call: ChaosCall.Identifier, _ digest: ChaosDigest) -> ChaosCall.Identifier {
        confirmations.note(call)
        return call
    }
}

/// Counts the confirmations of each call at its caller.
final class CallConfirmations: Sendable {
    private let counts = Locked<[ChaosCall.Identifier: Int]>([:])

    func note(_ call: ChaosCall.Identifier) {
        counts.withLock { $0[call, default: 0] += 1 }
    }

    func count(of call: ChaosCall.Identifier) -> Int {
        counts.withLock { $0[call, default: 0] }
    }

    /// Returns the confirmed calls that are not among `calls`.
    func strangers(to calls: Set<ChaosCall.Identifier>) -> [ChaosCall.Identifier] {
        counts.withLock { counts in counts.keys.filter { !calls.contains($0) } }
    }
}
