import LatticeCoding
import LatticeCore
import Testing

@testable import LatticeFaults

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
    func onlyFaultsInTheScopeHappen(direction: ConnectionFault.Direction, kind: FaultPlan.Scope.Kind) {
        let scope = FaultPlan.Scope(faults: 200, connections: 4, bytes: 10, directions: [direction], kinds: [kind])
        let plan = FaultPlan(seed: 3, scope)
        #expect(plan.faults.count == 200)
        for fault in plan.faults {
            switch fault {
            case .connection(let fault):
                #expect(fault.direction == direction)
                #expect(0..<4 ~= fault.connection && 0..<10 ~= fault.place)
                switch (fault.kind, kind) {
                case (.split(let piece, let length), .split):
                    #expect(1...FaultPlan.Scope.maximumPiece ~= piece)
                    #expect(1...FaultPlan.Scope.maximumSplitLength ~= length)
                case (.stall(let duration), .stall), (.pause(let duration), .pause):
                    #expect(.milliseconds(1)...(.milliseconds(FaultPlan.Scope.maximumStallMilliseconds)) ~= duration)
                case (.cut, .cut), (.kill, .kill): break
                default: Issue.record("\(fault)")
                }
            case .launch(let fault):
                #expect(0..<4 ~= fault.start)
                switch (fault.kind, kind) {
                case (.exit(let code), .exit): #expect(0...255 ~= code)
                case (.chatter(let bytes), .chatter): #expect(0...FaultPlan.Scope.maximumChatter ~= bytes)
                case (.descriptors(let limit), .descriptors):
                    #expect(FaultPlan.Scope.descriptorLimits ~= limit)
                case (.crash, .crash), (.hang, .hang), (.grandchild, .grandchild): break
                default: Issue.record("\(fault)")
                }
            }
        }
    }

    @Test func aPlanDescribesItsFaults() {
        let faults =
            [
                .reading(at: 5, .split(piece: 2, length: 10)),
                .writing(at: 6, .stall(.milliseconds(20))), .writing(at: 76, .cut),
                .reading(at: 0, .kill, on: 2),
                .reading(at: 1, .pause(.seconds(1)), on: 3), .start(0, .exit(code: 3)), .start(1, .crash),
                .start(2, .hang),
                .start(3, .grandchild), .start(4, .chatter(bytes: 10)), .start(5, .descriptors(limit: 9)),
            ] as [Fault]
        #expect(
            FaultPlan(faults).description
                == "a handwritten plan: connection 0, byte 5 of reading: 10 bytes in pieces of 2; "
                + "connection 0, byte 6 of writing: stalls for 0.02 seconds; "
                + "connection 0, byte 76 of writing: breaks; connection 2, byte 0 of reading: the worker is killed; "
                + "connection 3, byte 1 of reading: the worker is stopped for 1.0 seconds; "
                + "start 0: the worker exits with code 3; start 1: the worker crashes; "
                + "start 2: the worker hangs before it says hello; "
                + "start 3: the worker leaves a process that holds its connection; "
                + "start 4: the worker writes 10 bytes to its standard error; "
                + "start 5: the worker may have 9 descriptors open"
        )
        #expect(FaultPlan(seed: 9, .init(faults: 0, bytes: 1)).description == "seed 9: no faults")
    }

    // MARK: Shrinking

    @Test(
        "The smallest failing plan is found, whichever faults the failure needs",
        arguments: 1...40 as ClosedRange<UInt64>
    )
    func whatIsNeededIsLeft(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...30, using: &generator)
        let plan = FaultPlan((0..<UInt64(count)).map { .reading(at: $0, .cut) })
        let needed = plan.faults.filter { _ in Int.random(in: 0..<6, using: &generator) == 0 }
        var asked = 0
        let smallest = await plan.shrunk { plan in
            asked += 1
            return needed.allSatisfy(plan.faults.contains)
        }
        #expect(smallest.faults == needed)
        #expect(asked <= count * count + 3 * count)
    }

    @Test("A failure with two causes is reduced to one of them") func ofTwoCausesOneIsLeft() async {
        let plan = FaultPlan(seed: 4, .init(faults: 16, bytes: 1 << 40))
        let causes = [plan.faults[3], plan.faults[11]]
        let smallest = await plan.shrunk { plan in causes.contains { plan.faults.contains($0) } }
        #expect(smallest.faults.count == 1)
        #expect(causes.contains(smallest.faults[0]))
        #expect(smallest.seed == 4)
        #expect(smallest.description.hasPrefix("seed 4, shrunk: connection 0"))
    }
}
