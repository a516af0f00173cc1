import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire
import LatticeWorker
import Testing

/// Tests the start of a feature in a worker, and its worker-local state.
@Suite(.timeLimit(.minutes(10)))
struct StartedTests {
    private typealias Words = FeatureClient<WordsFeature.Action, WordsFeature.DomainState>
    private typealias Recorder = ChannelRecorder<WordsFeature.DomainState>

    private func open(
        _ bench: WorkerBench,
        _ recorder: Recorder,
        configuration: WordsFeature.Configuration? = nil,
        maximumState: Int = 100_000
    ) throws -> Words {
        var limits = ChannelLimits()
        limits.maximumState = maximumState
        return Words(
            try .init(WordsFeature.self, in: HostContext(configuration: configuration)),
            in: bench.channels,
            sender: bench.sender,
            limits: limits,
            deliver: { recorder.receive($0) }
        )
    }

    private func answer(_ words: Words, _ word: String, _ recorder: Recorder) async -> String? {
        #expect(await words.send(.look(word)).finish() == .finished)
        return recorder.record.value.states.last?.answer
    }

    @Test("A feature starts once in each incarnation, before all events, and fills its worker-local state again")
    func eachIncarnationBegins() async throws {
        try await WorkerBench.with { bench in
            let recorder = Recorder()
            let words = try open(bench, recorder)
            let early = words.send(.add("a b a"))
            try await bench.start()
            #expect(await early.finish() == .finished)
            // No client is shown the state before.
            #expect(recorder.record.value.states.map(\.begun).allSatisfy { $0 == 1 })
            #expect(await answer(words, "a", recorder) == "default: 2")
            try await bench.kill()
            let between = words.send(.add("a"))
            try await bench.start()
            #expect(await between.finish() == .finished)
            #expect(await answer(words, "a", recorder) == "default: 3")
            let state = recorder.record.value.states.last
            #expect(state?.begun == 2)
            #expect(state?.incarnation == 2)
        }
    }

    @Test("A rollback keeps worker-local state, with the failed event's changes (F69)")
    func goingBackKeepsTheIndex() async throws {
        try await WorkerBench.with { bench in
            let recorder = Recorder()
            let words = try open(bench, recorder, maximumState: 2000)
            try await bench.start()
            #expect(await words.send(.add("a b a")).finish() == .finished)
            guard case .failed = await words.send(.grow(5000)).finish() else {
                Issue.record("not failed")
                return
            }
            #expect(await answer(words, "a", recorder) == "default: 2")
            #expect(await answer(words, "grown", recorder) == "default: 1")
            #expect(recorder.record.value.states.last?.padding == "")
        }
    }

    @Test(
        "A started action whose state cannot be sent is rolled back, and the incarnation continues (F69)",
        arguments: [false, true]
    )
    func aBeginningIsTakenBack(isRestored: Bool) async throws {
        try await WorkerBench.with { bench in
            let recorder = Recorder()
            // The growth is too large for the first incarnation, or for the second one.
            let growth = WordsFeature.Configuration(growth: isRestored ? 1500 : 5000)
            let words = try open(bench, recorder, configuration: growth, maximumState: 2000)
            try await bench.start()
            #expect(await words.send(.add("a")).finish() == .finished)
            if isRestored {
                #expect(recorder.record.value.states.last?.begun == 1)
                try await bench.kill()
                try await bench.start()
            }
            #expect(await words.send(.add("b")).finish() == .finished)
            let state = recorder.record.value.states.last
            #expect(state?.texts == ["a", "b"])
            #expect(state?.begun == (isRestored ? 1 : 0))
        }
    }

    @Test("Effects of started have their own event name in each incarnation, and a drain does not wait for them")
    func effectsOfABeginning() async throws {
        try await WorkerBench.with { bench in
            let gate = Gates.makeName()
            let recorder = Recorder()
            let words = try open(bench, recorder, configuration: WordsFeature.Configuration(gate: gate))
            try await bench.start()
            try await Gates.untilArrived(gate)
            try await bench.kill()
            let incarnation = try await bench.start()
            try await Gates.untilArrived(gate, count: 2)
            let names = Gates.events(gate)
            #expect(Set(names.compactMap(\.self)).count == 2)
            #expect(await words.send(.add("a")).finish() == .finished)
            incarnation.coordinator.sendControl(Drain(timeoutMilliseconds: 60_000))
            try await bench.drained.until { $0 == 1 }
            try await bench.kill()
            try await Gates.untilCancelled(gate)
        }
    }

    @Test("A configuration that cannot be decoded is refused with an explanation")
    func undecodableConfiguration() async throws {
        try await WorkerBench.with { bench in
            let recorder = Recorder()
            let words = Words(
                .init(
                    feature: "words",
                    schema: 1,
                    instance: "",
                    restoresState: true,
                    configuration: try CBOREncoder().encode(["separator": 1])
                ),
                in: bench.channels,
                sender: bench.sender,
                deliver: { recorder.receive($0) }
            )
            try await bench.start()
            let record = try await recorder.record.until { $0.refusal != nil }
            #expect(record.refusal == .undecodableConfiguration)
            guard case .rejected(let rejection) = await words.send(.add("a")).finish() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.reason.hasPrefix("The configuration of \"words\" cannot be decoded: "))
        }
    }
}
