import LatticeConcurrency
import LatticeCore
import LatticeTestSupport
import Testing

/// The spans of turns and effects, with a tracer that notes how they end.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct TracedTurnTests {
    /// A tracer whose spans are numbered, and belong to what their context names.
    private final class NotingTracer: RuntimeTracer {
        private struct State {
            var begun = 0
            var ended: [(name: String, end: SpanEnd)] = []
        }

        private let state = Locked(State())

        var ended: [(name: String, end: SpanEnd)] { state.withLock(\.ended) }

        func begin(_ operation: TracedOperation, in lines: [String]) -> (any OpenSpan)? {
            let name: String
            switch operation {
            case .turn: name = "turn"
            case .effect: name = "effect"
            default: return nil
            }
            let number = state.withLock { state in
                state.begun += 1
                return state.begun
            }
            return NotedSpan(["trace=\(number)"]) { [self] end in state.withLock { $0.ended.append((name, end)) } }
        }
    }

    @Test("A turn of an effect that fails ends its span with the failure, and the next turn does not")
    func failure() async {
        let tracer = NotingTracer()
        let runtime = makeRuntime([String]()) { (state: inout [String], action: String) in
            switch action {
            case "go": .perform { "refuse" }
            case "refuse": .reject("no")
            case "work": .perform { "done" }
            default: .none
            }
        }
        runtime.tracing = FeatureTracing(tracer, feature: "sample", instance: "")
        await withKnownIssue {
            _ = await runtime.send("go", in: EventContext(trace: ["trace=0"])).finish()
        } matching: { issue in
            "\(issue)".contains("rejected an action of an effect (\"no\")")
        }
        await runtime.send("work", in: EventContext(trace: ["trace=0"])).finish()
        let turns = tracer.ended.filter { $0.name == "turn" }.map(\.end)
        #expect(turns.map(\.outcome) == ["failed", "finished"])
        #expect(turns.first?.failure?.message.isEmpty == false && turns.last?.failure == nil)
    }
}
