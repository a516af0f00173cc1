import Distributed
import LatticeActors
import LatticeTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct ActorSystemsTests {
    @Test(arguments: TestPlacement.allCases) func oneBodyForBothPlacements(_ placement: TestPlacement) async throws {
        try await withActorSystems(placement: placement) { caller, host in
            host.register(errors: Ledger.Overdrawn.self)
            caller.register(errors: Ledger.Overdrawn.self)
            try host.host("ledger") { Ledger(actorSystem: $0) }
            let ledger = try await caller.resolve(Ledger.self, named: "ledger", within: .seconds(120))
            let sum = try await ledger.add(3)
            #expect(sum == 3)
            await #expect(throws: Ledger.Overdrawn(by: 2)) { try await ledger.add(-5) }
        }
    }

    @Test("Split and stalled bytes change no call", arguments: [1, 2, 3] as [UInt64])
    func pieces(seed: UInt64) async throws {
        let plan = FaultPlan(seed: seed, .init(faults: 30, bytes: 20_000, kinds: [.split, .stall]))
        try await withActorSystems(placement: .memoryWorker, faults: plan) { caller, host in
            try host.host("ledger") { Ledger(actorSystem: $0) }
            let ledger = try await caller.resolve(Ledger.self, named: "ledger", within: .seconds(120))
            for number in 1...200 {
                let sum = try await ledger.add(1)
                #expect(sum == number, "seed \(seed)")
            }
        }
    }

    @Test("After a broken connection each call ends, and none is made twice", arguments: [1, 2, 3] as [UInt64])
    func cut(seed: UInt64) async throws {
        let plan = FaultPlan(seed: seed, .init(faults: 1, bytes: 5_000, kinds: [.cut]))
        try await withActorSystems(placement: .memoryWorker, faults: plan) { caller, host in
            let own = try host.host("ledger") { Ledger(actorSystem: $0) }
            // The connection may break before the actor is found.
            guard
                let ledger = try? await caller.resolve(Ledger.self, named: "ledger", within: .milliseconds(500))
            else { return }
            var (ended, unclear) = (0, 0)
            do {
                while true {
                    _ = try await ledger.add(1)
                    ended += 1
                }
            } catch let error as ActorCallError {
                #expect(error.code == .lost, "seed \(seed)")
                if error.delivery == .mayHaveBegun { unclear = 1 }
            }
            let sum = try await own.add(0)
            #expect(ended...(ended + unclear) ~= sum, "seed \(seed)")
        }
    }
}

distributed actor Ledger {
    typealias ActorSystem = LatticeActorSystem

    struct Overdrawn: Error, Codable, Equatable {
        let by: Int
    }

    private var sum = 0

    distributed func add(_ number: Int) throws -> Int {
        guard sum + number >= 0 else { throw Overdrawn(by: -(sum + number)) }
        sum += number
        return sum
    }
}
