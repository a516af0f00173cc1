import LatticeCoding
import LatticeCore
import Testing

@testable import LatticeTesting

struct FaultPlanTests {
    private static let scope = FaultPlan.Scope(faults: 50, connections: 3, bytes: 1000)

    @Test func theSameSeedMakesTheSamePlan() throws {
        let plan = FaultPlan(seed: 7, Self.scope)
        #expect(plan == FaultPlan(seed: 7, Self.scope))
        #expect(plan != FaultPlan(seed: 8, Self.scope))
        #expect(plan.seed == 7)
        let bytes = try CBOREncoder().encode(plan)
        #expect(try CBORDecoder().decode(FaultPlan.self, from: bytes) == plan)
    }

    @Test(arguments: ConnectionFault.Direction.allCases, FaultPlan.Scope.Kind.allCases)
    func onlyWhatIsInTheScopeGoesWrong(direction: ConnectionFault.Direction, kind: FaultPlan.Scope.Kind) {
        let scope = FaultPlan.Scope(faults: 200, connections: 4, bytes: 10, directions: [direction], kinds: [kind])
        let plan = FaultPlan(seed: 3, scope)
        #expect(plan.faults.count == 200)
        #expect(Set(plan.faults.map(\.connection)) == Set(0..<4))
        #expect(Set(plan.faults.map(\.place)) == Set(0..<10))
        for fault in plan.faults {
            #expect(fault.direction == direction)
            switch (fault.kind, kind) {
            case (.split(let piece, let length), .split):
                #expect(1...FaultPlan.Scope.maximumPiece ~= piece)
                #expect(1...FaultPlan.Scope.maximumSplitLength ~= length)
            case (.stall(let duration), .stall), (.pause(let duration), .pause):
                #expect(.milliseconds(1)...(.milliseconds(FaultPlan.Scope.maximumStallMilliseconds)) ~= duration)
            case (.cut, .cut), (.kill, .kill): break
            default: Issue.record("\(fault)")
            }
        }
    }

    @Test func aPlanSaysWhatItDoes() {
        let faults = [
            ConnectionFault(.reading, at: 5, .split(piece: 2, length: 10)),
            ConnectionFault(.writing, at: 6, .stall(.milliseconds(20))), ConnectionFault(.writing, at: 76, .cut),
            ConnectionFault(.reading, at: 0, .kill, on: 2),
            ConnectionFault(.reading, at: 1, .pause(.seconds(1)), on: 3),
        ]
        #expect(
            FaultPlan(faults).description
                == "a plan by hand: connection 0, byte 5 of reading: 10 bytes in pieces of 2; "
                + "connection 0, byte 6 of writing: stands still for 0.02 seconds; "
                + "connection 0, byte 76 of writing: breaks; connection 2, byte 0 of reading: the worker is killed; "
                + "connection 3, byte 1 of reading: the worker is stopped for 1.0 seconds"
        )
        #expect(FaultPlan(seed: 9, .init(faults: 0, bytes: 1)).description == "seed 9: no faults")
    }

    // MARK: Shrinking

    @Test("the smallest plan that fails is found, whatever the failure needs", arguments: 1...40 as ClosedRange<UInt64>)
    func whatIsNeededIsLeft(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...30, using: &generator)
        let plan = FaultPlan((0..<UInt64(count)).map { ConnectionFault(.reading, at: $0, .cut) })
        let needed = plan.faults.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
        var asked = 0
        let smallest = await plan.shrunk { plan in
            asked += 1
            return needed.allSatisfy(plan.faults.contains)
        }
        #expect(smallest.faults == needed)
        #expect(asked <= count * count + 3 * count)
    }

    @Test("a failure with two causes is left with one of them") func ofTwoCausesOneIsLeft() async {
        let plan = FaultPlan(seed: 4, .init(faults: 16, bytes: 1 << 40))
        let causes = [plan.faults[3], plan.faults[11]]
        let smallest = await plan.shrunk { plan in causes.contains { plan.faults.contains($0) } }
        #expect(smallest.faults.count == 1)
        #expect(causes.contains(smallest.faults[0]))
        #expect(smallest.seed == 4)
        #expect(smallest.description.hasPrefix("seed 4, made smaller: connection 0"))
    }
}
