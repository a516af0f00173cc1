import LatticeCalls
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

/// Tests the runtime events of calls.
@Suite(.timeLimit(.minutes(10))) struct CallEventTests {
    /// Answers each call at once.
    private final class AnsweringHost: CallHost {
        func begin(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
            if call.method.name == "add" { answer.resolve() }
            answer.end(call.method.name == "fail" ? .failure(.failed, "it failed") : .returned(nil))
            return nil
        }

        var actorCount: Int { 1 }
        func hasActor(_ number: UInt64) -> Bool { true }
        func methods(of number: UInt64) -> StableMethodList? { StableMethodList(methods: []) }
        func nodeEnded() {}
    }

    @Test("A call is reported where it runs, when it begins and when it ends")
    func calls() async throws {
        let (list, others) = (EventList(), EventList())
        let host = AnsweringHost()
        try await NodeNet.with { nodes in
            nodes[1].connect(host)
            nodes[0].connect(to: RuntimeEvents([others.observer(of: .all)]))
            nodes[1].connect(to: RuntimeEvents([list.observer(of: .calls)]))
        } _: { net in
            for method in ["add", "fail"] {
                _ = await net.hub.ask(OutgoingCall(to: 5, of: net.leaves[0].node.id, method: method))
            }
            let (add, fail) = ("add", "fail")
            func call(_ method: String, isResolved: Bool = false) -> RuntimeEvent.Call {
                .init(actor: 5, method: method, caller: "coordinator", isResolved: isResolved)
            }
            let durations = list.events.value.compactMap { event -> Duration? in
                if case .callEnded(_, _, let duration) = event { duration } else { nil }
            }
            try #require(durations.count == 2)
            #expect(durations.allSatisfy { $0 > .zero })
            #expect(
                list.events.value == [
                    .callStarted(call(add)),
                    .callEnded(call(add, isResolved: true), outcome: "returned", after: durations[0]),
                    .callStarted(call(fail)), .callEnded(call(fail), outcome: "threw", after: durations[1]),
                ]
            )
            #expect(others.events.value.isEmpty)
        }
    }
}
