import LatticeFaults
import Testing

@testable import LatticeChaos

@Suite struct CallPlanTests {
    static let extent = CallExtent(calls: 4002, faults: 60, kinds: FaultPlan.Scope.Kind.allCases)

    @Test("The same seed makes the same calls and faults, and another seed makes others")
    func seeds() {
        let plan = CallPlan(seed: 7, Self.extent)
        let again = CallPlan(seed: 7, Self.extent)
        let other = CallPlan(seed: 8, Self.extent)
        #expect(plan.workers == again.workers && plan.clients == again.clients)
        #expect(plan.parts == again.parts)
        #expect(plan.parts.map(\.lanes) == again.parts.map(\.lanes))
        #expect(plan.workers != other.workers && plan.parts.map(\.lanes) != other.parts.map(\.lanes))
    }

    @Test("Each call belongs to one caller, and the last caller is killed while it calls")
    func parts() {
        let plan = CallPlan(seed: 7, Self.extent)
        #expect(plan.parts.map(\.calls) == [1334, 1334, 1334, 400])
        let calls = plan.parts.flatMap(\.lanes).flatMap(\.calls)
        #expect(calls.count == 4402)
        #expect(Set(calls.map(\.identifier)).count == 4402)
        #expect(plan.parts.filter { $0.lifetime != nil }.map(\.caller) == [3])
        #expect(0..<400 ~= plan.parts[3].lifetime ?? -1)
        for part in plan.parts {
            #expect(part.lanes.map(\.callee) == [.pool, .pool, .pool, .reader])
            for lane in part.lanes { #expect(lane.calls.map(\.identifier.number) == Array(lane.calls.indices)) }
        }
    }

    @Test("A plan contains every kind of call, and each waiting call has an end")
    func kinds() {
        let calls = CallPlan(seed: 7, Self.extent).parts.flatMap(\.lanes).flatMap(\.calls)
        for method in ChaosCall.Method.allCases { #expect(calls.contains { $0.method == method }) }
        #expect(calls.contains { $0.cancelling == .before } && calls.contains { $0.cancelling == .never })
        #expect(calls.contains { if case .after = $0.cancelling { true } else { false } })
        #expect(calls.contains(where: \.isPooled) && calls.contains { !$0.isPooled })
        #expect(calls.contains(where: \.mayExpire) && calls.contains { !$0.mayExpire && $0.timeoutMilliseconds != nil })
        #expect(calls.contains { $0.letters > 10_000 } && calls.contains { $0.answerLetters > 10_000 })
        for call in calls where call.method == .wait { #expect(call.mayExpire || call.cancelling != .never) }
    }

    @Test("The last calls of a plan are separate, and no fault or cancellation affects them")
    func lastLane() {
        for part in CallPlan(seed: 7, Self.extent).parts {
            let calls = part.lastLane.calls
            #expect(calls.contains(where: \.isPooled) && calls.contains { !$0.isPooled })
            let harmless = calls.filter {
                $0.method == .answer && $0.cancelling == .never && $0.timeoutMilliseconds == nil
            }
            #expect(harmless.count == calls.count)
            #expect(Set(calls.map(\.identifier)).isDisjoint(with: part.lanes.flatMap(\.calls).map(\.identifier)))
        }
    }

    @Test("In a plan without faults, no call kills its worker, and no call may be lost")
    func withoutFaults() {
        let plan = CallPlan(seed: 7, CallExtent(calls: 4002, faults: 0, kinds: [.kill]))
        #expect(!plan.hasFaults)
        #expect(!plan.parts.flatMap(\.lanes).flatMap(\.calls).contains { $0.method == .die })
        #expect(CallPlan(seed: 7, Self.extent).hasFaults)
    }

    @Test("A plan with few calls also assigns each to a caller")
    func fewCalls() {
        let plan = CallPlan(seed: 7, CallExtent(calls: 1, faults: 3, kinds: [.kill]))
        #expect(plan.parts.map(\.calls) == [1, 0, 0, 1])
        #expect(plan.parts[3].lifetime == 0 && plan.parts[3].lanes.flatMap(\.calls).count == 1)
    }
}
