import Distributed
import LatticeActors
import LatticeConcurrency

/// An actor of a caller's process, which is given to methods as an argument and called back by them.
distributed actor ChaosCaller {
    typealias ActorSystem = LatticeActorSystem

    private let confirmations: CallConfirmations

    init(actorSystem: LatticeActorSystem, _ confirmations: CallConfirmations) {
        self.actorSystem = actorSystem
        self.confirmations = confirmations
    }

    /// - Returns: The call that it was told of.
    distributed func confirm(_ call: ChaosCall.Identifier, _ digest: ChaosDigest) -> ChaosCall.Identifier {
        confirmations.note(call)
        return call
    }
}

/// How often each call was confirmed at its caller.
final class CallConfirmations: Sendable {
    private let counts = Locked<[ChaosCall.Identifier: Int]>([:])

    func note(_ call: ChaosCall.Identifier) {
        counts.withLock { $0[call, default: 0] += 1 }
    }

    func count(of call: ChaosCall.Identifier) -> Int {
        counts.withLock { $0[call, default: 0] }
    }

    /// Those of this list that were confirmed, though none of them is one of these.
    func strangers(to calls: Set<ChaosCall.Identifier>) -> [ChaosCall.Identifier] {
        counts.withLock { counts in counts.keys.filter { !calls.contains($0) } }
    }
}
