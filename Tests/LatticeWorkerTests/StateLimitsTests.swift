import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StateLimitsTests {
    /// Room for a hundred small entries.
    private static var limits: ChannelLimits {
        var limits = ChannelLimits()
        limits.maximumAction = 500
        limits.maximumState = 1000
        return limits
    }

    private func tooLarge(_ bytes: Int) -> EventOutcome {
        .failed(
            EffectFailure(
                type: "StateTooLarge",
                message:
                    "The state of \"journal\" has \(bytes) bytes, but at most 1000 can be sent, so the previous state was"
                    + " kept. Keep large data in files, or allow larger states."
            )
        )
    }

    private func with(
        _ body: (WorkerBench, WorkerBench.Recorder, WorkerBench.Channel) async throws -> Void
    ) async throws {
        try await WorkerBench.with(.messages) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder, limits: Self.limits)
            try await bench.start()
            // An event that is cancelled before the channel is open is never sent.
            try await recorder.record.until { $0.opened == 1 }
            try await body(bench, recorder, channel)
        }
    }

    // MARK: Too large

    @Test("An action above its size limit is rejected at its sender, and does not affect other events (F69)")
    func anActionOverItsLimitIsRejected() async throws {
        try await with { bench, recorder, channel in
            let action = JournalFeature.Action.wait(1, gate: String(repeating: "x", count: 500))
            let bytes = try CBOREncoder().encode(action).count
            guard case .rejected(let rejection) = await channel.send(action).finish() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.code == .tooLarge)
            #expect(
                rejection.reason
                    == "The action has \(bytes) bytes, but at most 500 bytes can be sent. Put large data into a file and send"
                    + " its name."
            )
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [2])
            #expect(bench.closed.value.isEmpty)
        }
    }

    @Test("An event that makes the state too large fails alone, also among others in the same turn (F69)")
    func anEventThatMakesTheStateTooLargeFailsAlone() async throws {
        try await with { bench, recorder, channel in
            #expect(await channel.send(.add(0)).finish() == .finished)
            // All of them before the worker reads any, so that it takes them in one turn.
            bench.current?.worker.connection.pauseReading()
            let before = (1...20).map { channel.send(.add($0)) }
            let large = channel.send(.grow(5000))
            let after = (21...40).map { channel.send(.add($0)) }
            await bench.channels.eventLoop.endOfTick()
            bench.current?.worker.connection.resumeReading()
            for task in before + after { #expect(await task.finish() == .finished) }
            guard case .failed(let failure) = await large.finish() else {
                Issue.record("not failed")
                return
            }
            #expect(failure.type == "StateTooLarge")
            #expect(recorder.record.value.states.last?.entries == Array(0...40))
            #expect(recorder.record.value.states.last?.padding == "")
            #expect(recorder.record.value.acknowledged == 42)
            #expect(bench.closed.value.isEmpty)
        }
    }

    @Test("The failure names feature, size and limit, and a new worker starts from the state before (F69)")
    func theFailureNamesSizeAndLimit() async throws {
        try await with { bench, recorder, channel in
            #expect(await channel.send(.add(7)).finish() == .finished)
            var state = JournalFeature.DomainState(entries: [7])
            state.padding = String(repeating: "x", count: 1000)
            let bytes = try CBOREncoder().encode(state).count
            #expect(await channel.send(.grow(1000)).finish() == tooLarge(bytes))
            try await bench.kill()
            try await bench.start()
            #expect(await channel.send(.add(8)).finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [7, 8]))
        }
    }

    @Test("An effect that makes the state too large ends its event, and other effects continue (F69)")
    func anEffectThatMakesTheStateTooLargeFails() async throws {
        try await with { _, recorder, channel in
            let gate = Gates.makeName()
            let waiting = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            guard case .failed(let failure) = await channel.send(.growLater(5000)).finish() else {
                Issue.record("not failed")
                return
            }
            #expect(failure.type == "StateTooLarge")
            Gates.open(gate)
            #expect(await waiting.finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [1, -1]))
        }
    }

    @Test("When events are applied again, effects start once and cancellations still count (F69)")
    func effectsOfEventsThatAreAppliedAgainStartOnce() async throws {
        try await with { bench, recorder, channel in
            let (gate, closed) = (Gates.makeName(), Gates.makeName())
            bench.current?.worker.connection.pauseReading()
            let waiting = channel.send(.wait(1, gate: gate))
            let cancelled = channel.send(.wait(2, gate: closed))
            cancelled.cancel()
            let large = channel.send(.grow(5000))
            await bench.channels.eventLoop.endOfTick()
            bench.current?.worker.connection.resumeReading()
            guard case .failed = await large.finish() else {
                Issue.record("not failed")
                return
            }
            #expect(await cancelled.finish() == .cancelled)
            try await Gates.untilArrived(gate)
            Gates.open(gate)
            #expect(await waiting.finish() == .finished)
            #expect(Gates.arrivals(gate) == 1)
            #expect(Gates.arrivals(closed) == 0)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [1, 2, -1]))
        }
    }

    @Test("A state of the maximum size, above one message, is sent and restored, and one byte more fails (F69)")
    func theLargestStateIsRestored() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            var limits = ChannelLimits()
            limits.maximumState = FrameLimits.maximumMessage + (4 << 20)
            let channel = bench.open(recorder, limits: limits)
            try await bench.start()
            let empty = try CBOREncoder().encode(JournalFeature.DomainState()).count
            // A text of this length has a head of five bytes, the empty one a head of one.
            let room = limits.maximumState - empty - 4
            #expect(await channel.send(.grow(room)).finish() == .finished)
            try await bench.kill()
            try await bench.start()
            guard case .failed = await channel.send(.grow(1)).finish() else {
                Issue.record("not failed")
                return
            }
            #expect(recorder.record.value.states.last?.padding.utf8.count == room)
            #expect(bench.closed.value.count == 1)
        }
    }

    // MARK: Not codable

    @Test(
        "An event whose state cannot be encoded fails with the place, and the worker restores the previous state (F71)"
    )
    func aStateThatCannotBeEncodedIsRolledBack() async throws {
        try await with { bench, recorder, channel in
            #expect(await channel.send(.add(1)).finish() == .finished)
            #expect(
                await channel.send(.damage("unencodable")).finish()
                    == .failed(
                        EffectFailure(
                            type: "StateNotEncodable",
                            message: "The state of \"journal\" cannot be encoded, so the previous state was kept:"
                                + " at damage: Damaged: it has no bytes"
                        )
                    )
            )
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [1, 2]))
            #expect(bench.closed.value.isEmpty)
        }
    }

    @Test(
        "A state that cannot be decoded is not used to restart, and its event fails with the place (F71)"
    )
    func aStateThatCannotBeDecodedIsNotKept() async throws {
        try await with { bench, recorder, channel in
            #expect(await channel.send(.add(1)).finish() == .finished)
            let failure = EffectFailure(
                type: "StateNotDecodable",
                message: "The state of \"journal\" cannot be decoded, so the previous state was kept:"
                    + " at damage: it is damaged"
            )
            #expect(await channel.send(.damage("undecodable")).finish() == .failed(failure))
            #expect(recorder.record.value.problems == [failure.message])
            #expect(bench.closed.value.isEmpty)
            try await bench.kill()
            try await bench.start()
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [1, 2]))
            #expect(recorder.record.value.problems == [failure.message, nil])
        }
    }

    @Test("Events that run when the state cannot be decoded fail, and the next decodable state is shown (F71)")
    func aStateThatCanBeDecodedAgainIsShown() async throws {
        try await with { bench, recorder, channel in
            #expect(await channel.send(.add(1)).finish() == .finished)
            let gate = Gates.makeName()
            bench.current?.worker.connection.pauseReading()
            let waiting = channel.send(.wait(2, gate: gate))
            let damaging = channel.send(.damage("undecodable"))
            await bench.channels.eventLoop.endOfTick()
            bench.current?.worker.connection.resumeReading()
            for task in [waiting, damaging] {
                guard case .failed(let failure) = await task.finish() else {
                    Issue.record("not failed")
                    return
                }
                #expect(failure.type == "StateNotDecodable")
            }
            #expect(await channel.send(.damage(nil)).finish() == .finished)
            #expect(recorder.record.value.states.last == JournalFeature.DomainState(entries: [1, 2]))
            #expect(recorder.record.value.problems.last == .some(nil))
            Gates.open(gate)
        }
    }
}
