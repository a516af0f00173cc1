import LatticeCore
import Testing

@Suite struct TraceContextTests {
    @Test func keysHaveValues() {
        var trace = TraceContext()
        #expect(trace.isEmpty)
        trace["b"] = "2"
        trace["a"] = "1=1"
        trace["ab"] = ""
        #expect(trace.keys == ["a", "ab", "b"])
        #expect([trace["a"], trace["ab"], trace["b"], trace["c"]] == ["1=1", "", "2", nil])
        trace["a"] = "3"
        trace["b"] = nil
        #expect(trace.keys == ["a", "ab"] && trace["a"] == "3")
    }

    @Test func invalidAndExcessKeysAreLeftOut() {
        var trace = TraceContext()
        trace["long"] = String(repeating: "x", count: TraceContext.maximumBytes - 4)
        trace["longer"] = String(repeating: "x", count: TraceContext.maximumBytes - 5)
        trace[""] = "x"
        trace["a=b"] = "x"
        #expect(trace.keys == ["long"])
        for number in 10..<99 { trace["\(number)"] = "x" }
        #expect(trace.keys.count == TraceContext.maximumCount)
        // The value of an existing key may change.
        trace["10"] = "y"
        #expect(trace["10"] == "y")
    }

    @Test func effectsHaveTheTraceOfTheSender() async throws {
        await Self.checkEffects()
    }

    @MainActor private static func checkEffects() async {
        let viewModel = ViewModel(initialDomainState: "", feature: Feature(interactor: Tracing(), reducer: Shown()))
        var trace = TraceContext()
        trace["k"] = "v"
        let task = trace.withCurrent { viewModel.sendViewEvent(.look) }
        await task.finish()
        #expect(viewModel.viewState == "v")
        #expect(TraceContext.current.isEmpty)
        await viewModel.sendViewEvent(.look).finish()
        #expect(viewModel.viewState == "none")
    }

    private struct Tracing: Interactor, Sendable {
        enum Action: Sendable { case look, found(String) }
        typealias DomainState = String

        var body: some InteractorOf<Self> {
            Interact { state, action in
                switch action {
                case .look: return .perform { .found(TraceContext.current["k"] ?? "none") }
                case .found(let value): state = value
                }
                return .none
            }
        }
    }

    private struct Shown: ViewStateReducer, Sendable {
        typealias DomainState = String
        typealias ViewState = String
        var body: some ViewStateReducerOf<Self> {
            BuildViewState(initial: { $0 }) { state, view in view = state }
        }
    }
}
