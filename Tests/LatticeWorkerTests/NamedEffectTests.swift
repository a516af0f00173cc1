import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeSession
@testable import LatticeWorker

/// Tests what a coordinator knows about named effects when their worker dies.
@Suite(.timeLimit(.minutes(10)))
struct NamedEffectTests {
    private typealias State = NamingFeature.DomainState
    private typealias Job = NamingFeature.Job

    private static func open(_ bench: WorkerBench, _ recorder: ChannelRecorder<State>) -> FeatureClient<
        NamingFeature.Action, State
    > {
        FeatureClient(
            .init(feature: NamingFeature.identifier, schema: 1, instance: "", restoresState: true),
            in: bench.channels,
            sender: bench.sender,
            deliver: { recorder.receive($0) }
        )
    }

    @Test("A running effect is known by its name", arguments: SessionLink.allCases)
    func isKnown(link: SessionLink) async throws {
        try await WorkerBench.with(link) { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            try await bench.start([NamingFeature.self])
            let gates = [Gates.makeName(), Gates.makeName()]
            let event = channel.send(
                .start([
                    Job("b", .wait(gate: gates[0]), atMost: 2), Job("a", .wait(gate: gates[1]), atMost: 2),
                    Job("a", .wait(gate: gates[1]), atMost: 2), Job("fails", .last),
                ])
            )
            for gate in gates { try await Gates.untilArrived(gate) }
            try await bench.kill()
            let failure = EffectFailure(
                type: "InterruptedEffect",
                message: "The effect \"fails\" was running when its worker ended: killed by signal 9 (SIGKILL)"
            )
            #expect(await event.finish() == .failed(failure))
            let record = try await recorder.record.until { !$0.interrupted.isEmpty }
            #expect(record.interrupted.map { $0.effects.map { "\($0)" } } == [["a (0 deaths)", "b (0 deaths)"]])
        }
    }

    @Test("An effect that has ended is no longer known, and its state has arrived")
    func hasEnded() async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            try await bench.start([NamingFeature.self])
            let gate = Gates.makeName()
            let event = channel.send(.start([Job("a", .wait(gate: gate), atMost: 2)]))
            try await Gates.untilArrived(gate)
            Gates.open(gate)
            #expect(await event.finish() == .finished)
            let running = channel.send(.start([Job("b", .last)]))
            try await recorder.record.until { $0.states.last?.jobs.map(\.name) == ["b"] }
            try await bench.kill()
            _ = await running.finish()
            #expect(recorder.record.value.interrupted.flatMap(\.effects).isEmpty)
        }
    }

    @Test("An effect that ended without a result is no longer known, while its event continues")
    func hasEndedSilently() async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            try await bench.start([NamingFeature.self])
            let gate = Gates.makeName()
            let event = channel.send(
                .start([Job("a", .waitOnly(gate: gate), atMost: 2), Job("b", .last, atMost: 2)])
            )
            try await Gates.untilArrived(gate)
            Gates.open(gate)
            while channel.channel.core.withLock({ Set($0.state.effects.names) }) != ["b"] { await Task.yield() }
            try await bench.kill()
            _ = await event.finish()
            let record = try await recorder.record.until { !$0.interrupted.isEmpty }
            #expect(record.interrupted.flatMap(\.effects).map(\.name) == ["b"])
        }
    }

    @Test("Effects of a state that is too large never start, and their names are not sent")
    func rolledBack() async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            var limits = ChannelLimits()
            limits.maximumState = 1000
            try await bench.start([NamingFeature.self], limits: limits)
            let name = String(repeating: "n", count: 200)
            let jobs = (1...5).map { Job("\(name)\($0)", .last, atMost: 2) }
            let tooLarge = channel.send(.start(jobs))
            guard case .failed = await tooLarge.finish() as EventOutcome else {
                Issue.record("it ended \(String(describing: tooLarge.outcome))")
                return
            }
            let running = channel.send(.start([Job("b", .last, atMost: 2)]))
            try await recorder.record.until { $0.states.last?.jobs.map(\.name) == ["b"] }
            try await bench.kill()
            _ = await running.finish()
            #expect(recorder.record.value.interrupted.flatMap(\.effects).map(\.name) == ["b"])
        }
    }

    @Test("A name that cannot be sent fails its event, and the effect does not start", arguments: [0, 256])
    func badNames(length: Int) async throws {
        try await WorkerBench.with { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            try await bench.start([NamingFeature.self])
            let message =
                "The name of an effect has \(length) bytes, but must have 1 to 255. The effect was not started. Use a"
                + " shorter name, such as a number or the last part of a path."
            let event = channel.send(.start([Job(String(repeating: "n", count: length), .last, atMost: 1)]))
            #expect(await event.finish() == .failed(EffectFailure(type: "EffectName", message: message)))
        }
    }

    /// The test also uses a large state, which is encoded on another thread while events are applied.
    @Test(
        "After a broken connection, each effect that had begun is known or has ended in the state",
        arguments: 1...6,
        [0, 300_000]
    )
    func cuts(round: UInt64, padding: Int) async throws {
        let seed = round == 6 ? UInt64.random(in: 0...(.max)) : round
        var generator = SeededGenerator(seed: seed)
        try await WorkerBench.with(.socketPair) { bench in
            let recorder = ChannelRecorder<State>()
            let channel = Self.open(bench, recorder)
            var number = 0
            try await bench.start([NamingFeature.self])
            #expect(await channel.send(.grow(padding)).finish() == .finished)
            for incarnation in 1...6 {
                var gates: [String: String] = [:]
                for _ in 1...8 {
                    number += 1
                    let gate = Gates.makeName()
                    gates["\(number)"] = gate
                    if Bool.random(using: &generator) { Gates.open(gate) }
                    _ = channel.send(.start([Job("\(number)", .wait(gate: gate), atMost: 1000)]))
                    if UInt8.random(in: 0..<4, using: &generator) == 0 { _ = channel.send(.grow(20_000)) }
                }
                for _ in 0..<Int.random(in: 0..<100, using: &generator) { await Task.yield() }
                try await bench.kill()
                let begun = gates.filter { Gates.arrivals($0.value) > 0 }.map(\.key)
                try await bench.start([NamingFeature.self])
                // The record comes after all messages of the previous incarnation.
                let record = try await recorder.record.until { $0.opened > incarnation }
                let known = Set(record.interrupted.flatMap(\.effects).map(\.name))
                let ended = Set(record.states.last?.ended ?? [])
                let lost = begun.filter { !known.contains($0) && !ended.contains($0) }
                #expect(lost.isEmpty, "seed \(seed), incarnation \(incarnation)")
            }
        }
    }
}
