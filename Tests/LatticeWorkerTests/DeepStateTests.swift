import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWorker
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DeepStateTests {
    @Test("A change arrives at any depth at which a state can be sent (F96)", arguments: [1, 15, 16, 40, 62, 63, 64])
    func anyDepth(depth: Int) async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<DeepFeature.DomainState>()
            let channel = FeatureClient<DeepFeature.Action, DeepFeature.DomainState>(
                try .init(DeepFeature.self, in: HostContext()),
                in: bench.channels,
                sender: bench.sender,
                deliver: { recorder.receive($0) }
            )
            try await bench.start([DeepFeature.self])
            #expect(await channel.send(.grow(depth)).finish() == .finished)
            for number in 1...3 {
                #expect(await channel.send(.changeLast(number)).finish() == .finished)
                #expect(recorder.record.value.states.last?.last == number)
            }
            #expect(await channel.send(.grow(1)).finish() == .finished)
            #expect(recorder.record.value.states.last?.last == 0)
            // An event whose state cannot be encoded fails alone.
            guard case .failed(let failure) = await channel.send(.grow(65)).finish() else {
                Issue.record("not failed")
                return
            }
            #expect(failure.message.contains("nested deeper than 128 levels"))
            #expect(await channel.send(.changeLast(7)).finish() == .finished)
            #expect(recorder.record.value.states.last?.last == 7)
        }
    }
}

/// A struct that has others of its type inside, as files have folders.
private enum DeepFeature: HostedFeature {
    enum Action: Codable, Sendable {
        /// Makes the state a chain of this many nodes.
        case grow(Int)
        /// Changes the one at its end.
        case changeLast(Int)
    }

    struct DomainState: Patchable, Sendable {
        var number = 0
        var children: [DomainState] = []

        var last: Int { children.first?.last ?? number }

        mutating func changeLast(_ number: Int) {
            if children.isEmpty { self.number = number } else { children[0].changeLast(number) }
        }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("number", from: old.number, to: number)
            try patch.field("children", from: old.children, to: children)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "number": try patch.apply(to: &number)
                case "children": try patch.apply(to: &children)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    static let identifier = "deep"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .grow(let depth):
                state = DomainState()
                for _ in 1..<depth { state = DomainState(children: [state]) }
            case .changeLast(let number): state.changeLast(number)
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: { _ in 0 }) { state, shown in shown = state.last }
    }
}
