import Distributed
import Lattice
import LatticeActors
import Testing

@Suite struct StableNamesTests {
    @Test func actorsHaveTables() {
        #expect(Clerk.stableMethods.map(\.signature) == ["(Order) -> Order"])
    }
}

nonisolated struct Order: Codable, Sendable {}

@StableNames
distributed actor Clerk: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func take(_ order: Order) -> Order { order }
}
