import LatticeFaults
import Testing

@testable import LatticeChaos

@Suite struct ChaosPlanTests {
    static let extent = ChaosExtent(events: 500, faults: 100, kinds: FaultPlan.Scope.Kind.allCases)

    @Test("The same seed makes the same round, and another seed makes another")
    func seeds() {
        let plan = ChaosPlan(seed: 7, Self.extent)
        let again = ChaosPlan(seed: 7, Self.extent)
        let other = ChaosPlan(seed: 8, Self.extent)
        #expect(plan.workers == again.workers)
        #expect(plan.clients == again.clients)
        #expect(plan.parts.map(\.seed) == again.parts.map(\.seed))
        #expect(plan.workers != other.workers)
        #expect(plan.parts.map(\.seed) != other.parts.map(\.seed))
    }

    @Test("The events are divided among participants, and one participant is killed by itself")
    func parts() {
        let plan = ChaosPlan(seed: 7, Self.extent)
        #expect(plan.parts.map(\.participant) == [0, 1, 2, 3, 4])
        #expect(plan.parts.map(\.events) == [100, 100, 100, 100, 100])
        #expect(plan.parts.filter { $0.lifetime != nil }.map(\.participant) == [4])
        #expect(0..<100 ~= plan.parts[4].lifetime ?? -1)
    }

    @Test("A client's first connection breaks only after its channels are open, and no fault is at a client's start")
    func clients() {
        let plan = ChaosPlan(seed: 7, Self.extent)
        #expect(!plan.clients.faults.isEmpty)
        for fault in plan.clients.faults {
            guard case .connection(let fault) = fault else {
                Issue.record("\(fault) is at a start")
                continue
            }
            #expect(fault.connection < 12)
            #expect(fault.kind != .cut || fault.connection >= 4 || fault.place >= 4096)
        }
    }

    @Test("The checker waits longer if more faults delay starts")
    func patience() {
        let plan = ChaosPlan(seed: 7, ChaosExtent(events: 500, faults: 100, kinds: [.hang]))
        #expect(plan.patience == .seconds(130))
        let other = ChaosPlan(seed: 7, ChaosExtent(events: 500, faults: 100, kinds: [.cut]))
        #expect(other.patience == .seconds(30))
    }

    @Test("Faults that only workers can have never happen between coordinator and clients")
    func kindsOfWorkers() {
        let plan = ChaosPlan(seed: 7, ChaosExtent(events: 500, faults: 100, kinds: [.crash]))
        #expect(plan.clients.faults.isEmpty)
        #expect(plan.workers.faults.count == 100)
    }
}
