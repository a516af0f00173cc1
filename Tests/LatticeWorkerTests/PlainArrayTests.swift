import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWorker
import Testing

/// A plain array in a state that travels as patches.
@Suite(.timeLimit(.minutes(10)))
struct PlainArrayTests {
    @Test("A turn changes an array in place while the sent state is kept, which does not change")
    func changedInPlace() async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<ArrayFeature.DomainState>()
            let channel = FeatureClient<Int, ArrayFeature.DomainState>(
                try .init(ArrayFeature.self, in: HostContext()),
                in: bench.channels,
                sender: bench.sender,
                deliver: { recorder.receive($0) }
            )
            try await bench.start([ArrayFeature.self])
            for number in 1...5 { #expect(await channel.send(number).finish() == .finished) }
            let copies = try #require(recorder.record.value.states.last).copies
            for number in 6...40 { #expect(await channel.send(number).finish() == .finished) }
            let states = recorder.record.value.states
            #expect(states.last?.copies == copies)
            for state in states { #expect(state.texts == ArrayFeature.texts(after: state.newest)) }
        }
    }
}

/// Each action changes one element.
private enum ArrayFeature: HostedFeature {
    struct DomainState: Patchable, Sendable {
        var texts = ArrayFeature.texts(after: 0)
        var newest = 0
        /// The number of times that the elements' storage has moved.
        var copies = 0
        var place = 0

        mutating func change(to number: Int) {
            texts[number] = "the text of event \(number)"
            newest = number
            let found = texts.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
            if found != place { copies += 1 }
            place = found
        }

        func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
            try patch.field("texts", from: old.texts, to: texts)
            try patch.field("newest", from: old.newest, to: newest)
            try patch.field("copies", from: old.copies, to: copies)
            try patch.field("place", from: old.place, to: place)
        }

        mutating func apply(_ patch: inout PatchDecoder) throws {
            try patch.fields { name, patch in
                switch name {
                case "texts": try patch.apply(to: &texts)
                case "newest": try patch.apply(to: &newest)
                case "copies": try patch.apply(to: &copies)
                case "place": try patch.apply(to: &place)
                default: throw patch.unknownField(name)
                }
            }
        }
    }

    static let identifier = "array"

    static func texts(after number: Int) -> [String] {
        (0..<1000).map {
            (1...max(1, number)).contains($0) && number > 0 ? "the text of event \($0)" : "the first text"
        }
    }

    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Int> {
        Interact { state, number in
            state.change(to: number)
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: { _ in 0 }) { state, shown in shown = state.newest }
    }
}
