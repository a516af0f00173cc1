import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeWorker

@Suite(.timeLimit(.minutes(10)))
struct WorkerHostTests {
    // MARK: Events

    @Test(arguments: SessionLink.allCases)
    func eventsAreAppliedInOrderAndStatesOnlyGrow(link: SessionLink) async throws {
        try await WorkerBench.with(link) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            // Before there is a worker, and while it serves.
            let early = (0..<50).map { channel.send(.add($0)) }
            try await bench.start()
            let late = (50..<500).map { channel.send(.add($0)) }
            for task in early + late { #expect(await task.finish() == .finished) }
            let record = recorder.record.value
            #expect(record.states.last?.entries == Array(0..<500))
            #expect(record.acknowledged == 500)
            #expect(zip(record.states, record.states.dropFirst()).allSatisfy { $0.entries.count < $1.entries.count })
        }
    }

    @Test func finishSeesTheState() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            for number in 1...200 {
                #expect(await channel.send(.add(number)).finish() == .finished)
                #expect(recorder.record.value.states.last?.entries.count == number)
            }
        }
    }

    @Test func anEventThatChangesNothingIsAcknowledged() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            #expect(await channel.send(.nothing).finish() == .finished)
            let reached = try await recorder.record.until { $0.acknowledged == 1 }
            #expect(reached.states.count == 1)
        }
    }

    @Test func moreThanTheLimitDoNotRun() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            var limits = ChannelLimits()
            limits.maximumRunning = 2
            try await bench.start(limits: limits)
            let gate = Gates.makeName()
            let running = [channel.send(.wait(1, gate: gate)), channel.send(.wait(2, gate: gate))]
            let outcome = await channel.send(.add(3)).finish()
            #expect(
                outcome
                    == .rejected(
                        .overloaded.with(
                            reason: "Too many events are running (2). Wait for some of them to end."
                        )
                    )
            )
            Gates.open(gate)
            for task in running { #expect(await task.finish() == .finished) }
            #expect(await channel.send(.add(4)).finish() == .finished)
        }
    }

    @Test func eachEventSaysHowItEnded() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            #expect(await channel.send(.add(1)).finish() == .finished)
            #expect(
                await channel.send(.fail("no luck")).finish()
                    == .failed(EffectFailure(type: "Failure", message: "no luck"))
            )
            let completion = channel.send(encoded: [0xff])
            guard case .rejected(let rejection) = await completion.wait() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.code == .undecodable)
            #expect(rejection.reason.hasPrefix("The action cannot be decoded by the worker: "))
            guard case .rejected(let unsent) = await channel.send(.unencodable(Unencodable())).finish() else {
                Issue.record("not rejected")
                return
            }
            #expect(unsent.code == .undecodable)
            #expect(unsent.reason == "The action cannot be encoded: at unencodable._0: Unencodable: it has no bytes")
            // The channel continues.
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [1, 2])
        }
    }

    @Test func anEffectEndsWithTheStateThatItLeftBehind() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            let gate = Gates.makeName()
            let task = channel.send(.wait(5, gate: gate))
            try await Gates.untilArrived(gate)
            // No effect begins before the state that asked for it was handed over.
            try await recorder.record.until { $0.states.last?.entries == [5] }
            Gates.open(gate)
            #expect(await task.finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [5, -5])
        }
    }

    // MARK: Cancelling

    @Test("A running effect is cancelled (F49)") func aRunningEffectIsCancelled() async throws {
        try await WorkerBench.with { bench in
            let channel = bench.open(WorkerBench.Recorder())
            try await bench.start()
            let gate = Gates.makeName()
            let task = channel.send(.wait(5, gate: gate))
            try await Gates.untilArrived(gate)
            task.cancel()
            task.cancel()
            #expect(await outcome(of: task) == .cancelled)
        }
    }

    @Test("A cancellation that overtakes its event still counts (F49)")
    func aCancelThatOvertakesItsEventStillCounts() async throws {
        try await WorkerBench.with(.messages) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            // The event waits behind a large one; its cancel does not.
            incarnation.worker.connection.pauseReading()
            let large = channel.send(.wait(0, gate: String(repeating: "x", count: 1 << 20)))
            let gate = Gates.makeName()
            let task = channel.send(.wait(5, gate: gate))
            task.cancel()
            large.cancel()
            incarnation.worker.connection.resumeReading()
            #expect(await outcome(of: task) == .cancelled)
            #expect(await outcome(of: large) == .cancelled)
            #expect(Gates.arrivals(gate) == 0)
        }
    }

    @Test("A cancellation without a worker ends the event here (F49)")
    func aCancelWithoutAWorkerEndsTheEventHere() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let task = channel.send(.add(1))
            task.cancel()
            #expect(await outcome(of: task) == .cancelled)
            try await bench.start()
            #expect(await channel.send(.add(2)).finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [2])
        }
    }

    /// The outcome, without cancelling the event if the test is.
    private func outcome(of task: EventTask) async -> EventOutcome { await task.finish() }

    // MARK: Death

    @Test(arguments: SessionLink.allCases)
    func aNewIncarnationContinuesFromTheAcknowledgedState(link: SessionLink) async throws {
        try await WorkerBench.with(link) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            try await recorder.record.until { $0.acknowledged == 1 }
            try await bench.kill()
            #expect(await running.finish() == .interrupted(Interruption(cause: .signal(9), incarnation: 1)))
            let waiting = channel.send(.add(2))
            try await bench.start()
            #expect(await waiting.finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [1, 2])
        }
    }

    @Test("An unacknowledged event is applied once (F59)") func whatWasNotAcknowledgedIsAppliedOnce() async throws {
        try await WorkerBench.with(.messages) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            #expect(await channel.send(.add(0)).finish() == .finished)
            // From here on, the worker applies events, but the coordinator receives nothing.
            incarnation.coordinator.connection.pauseReading()
            let tasks = (1...20).map { channel.send(.add($0)) }
            try await bench.kill(unread: true)
            try await bench.start()
            for task in tasks { #expect(await task.finish() == .finished) }
            #expect(recorder.record.value.states.last?.entries == Array(0...20))
        }
    }

    // MARK: Opening

    @Test func instancesAreSeparate() async throws {
        try await WorkerBench.with { bench in
            let (one, other) = (WorkerBench.Recorder(), WorkerBench.Recorder())
            let first = bench.open(one, instance: "1")
            try await bench.start()
            let second = bench.open(other, instance: "2")
            #expect(await first.send(.add(1)).finish() == .finished)
            #expect(await second.send(.add(2)).finish() == .finished)
            #expect(one.record.value.states.last?.entries == [1])
            #expect(other.record.value.states.last?.entries == [2])
        }
    }

    @Test(
        arguments: [
            ("other", 1, "The worker does not host \"other\". It hosts: journal, words."),
            (
                "journal", 2,
                "The worker has schema 1 of \"journal\", and the coordinator has schema 2. Build both from the same source."
            ),
        ] as [(String, Int, String)]
    )
    func aFeatureThatTheWorkerLacksIsRefused(feature: String, schema: Int, reason: String) async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder, feature: feature, schema: schema)
            let waiting = channel.send(.add(1))
            try await bench.start()
            let record = try await recorder.record.until { $0.rejection != nil }
            #expect(record.rejection?.reason == reason)
            #expect(await waiting.finish() == .rejected(feature == "other" ? .closed : .schema))
            #expect(await channel.send(.add(2)).finish() == .rejected(feature == "other" ? .closed : .schema))
            // Not asked for again.
            try await bench.kill()
            try await bench.start()
            #expect(recorder.record.value.opened == 0)
        }
    }

    @Test func anUndecodableStateIsRefused() async throws {
        try await WorkerBench.withHost { recorder, coordinator, _ in
            coordinator.send { $0.addData(Open(feature: "journal", schema: 1, state: [0xff], revision: 1), on: 2) }
            coordinator.send { $0.addData(Open(feature: "journal", schema: 1), on: 4) }
            let record = try await recorder.record.until { $0.messages.count == 2 }
            #expect(record.messages.map(\.kind) == [.openRefused, .opened])
            let first = try OpenRefused(decoding: record.messages[0].body)
            #expect(first.code == .undecodableState)
            #expect(first.reason.hasPrefix("The state to restore cannot be decoded: "))
        }
    }

    @Test func anEventWithoutAChannelEndsTheSession() async throws {
        try await WorkerBench.with { bench in
            let incarnation = try await bench.start()
            incarnation.coordinator.send { $0.addEvent(1, action: [1], on: 9) }
            let error = try await bench.closed.until { $0.count == 1 }.first ?? nil
            let violation = WireError.notOpen(9, .event)
            #expect(error?.code == .goodbye)
            #expect(error?.detail == "\(violation)")
            await #expect(throws: SessionError.self) { try await incarnation.host.ended.value.get() }
        }
    }

    @Test func lateMessagesForAClosedChannelAreDropped() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            bench.channels.remove(channel.channel)
            incarnation.coordinator.sendControl(CancelMessage(event: 1), on: channel.channel.number)
            #expect(await bench.open(WorkerBench.Recorder()).send(.add(1)).finish() == .finished)
            #expect(bench.closed.value.isEmpty)
        }
    }

    // MARK: Closing and draining

    @Test func leavingAChannelCancelsItsEffects() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            let gate = Gates.makeName()
            let task = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            bench.channels.remove(channel.channel)
            #expect(await task.finish() == .cancelled)
            #expect(await channel.send(.add(1)).finish() == .rejected(.closed))
            // The number is not used again, the feature can be had again.
            let again = WorkerBench.Recorder()
            #expect(await bench.open(again).send(.add(3)).finish() == .finished)
            #expect(again.record.value.states.last?.entries == [3])
            #expect(bench.closed.value.isEmpty)
        }
    }

    @Test func drainingFinishesRunningEventsAndAcceptsNoNewOnes() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            incarnation.coordinator.sendControl(Drain(timeoutMilliseconds: 60_000))
            guard case .rejected(let rejection) = await channel.send(.add(2)).finish() else {
                Issue.record("not rejected")
                return
            }
            #expect(rejection.code == .closed)
            #expect(rejection.reason == "The worker is draining and accepts no new events.")
            #expect(bench.drained.value == 0)
            Gates.open(gate)
            #expect(await running.finish() == .finished)
            try await bench.drained.until { $0 == 1 }
        }
    }

    @Test func effectsThatOutlastTheDrainAreCancelled() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            let gate = Gates.makeName()
            let running = channel.send(.wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            incarnation.coordinator.sendControl(Drain(timeoutMilliseconds: 1))
            try await bench.drained.until { $0 == 1 }
            #expect(await running.finish() == .cancelled)
            try await recorder.record.until { $0.endings == 1 }
            // Still nothing new, in a new channel neither.
            guard case .rejected = await bench.open(WorkerBench.Recorder()).send(.add(2)).finish() else {
                Issue.record("not rejected")
                return
            }
        }
    }

    @Test func drainedComesAfterTheLastOutcome() async throws {
        try await WorkerBench.withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1), on: session)
            let gate = Gates.makeName()
            try await session.apply(1, .wait(1, gate: gate))
            try await Gates.untilArrived(gate)
            session.sendControl(Drain(timeoutMilliseconds: 1))
            let record = try await recorder.record.until { $0.messages.contains { $0.kind == .drained } }
            #expect(record.completed == [1])
            #expect(record.messages.last?.kind == .drained)
        }
    }

    @Test func drainedComesAfterTheLastState() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            let grown = channel.send(.grow(5 << 20))
            try await recorder.record.until { $0.opened == 1 }
            incarnation.coordinator.sendControl(Drain(timeoutMilliseconds: 1000))
            try await bench.drained.until { $0 == 1 }
            incarnation.coordinator.end()
            try await bench.closed.until { $0.count == 1 }
            let outcome = await grown.finish()
            #expect(outcome == .finished || outcome == .rejected(.closed))
            if outcome == .finished { #expect(recorder.record.value.states.last?.padding.utf8.count == 5 << 20) }
        }
    }

    @Test func anIdleWorkerIsDrainedAtOnce() async throws {
        try await WorkerBench.with { bench in
            let incarnation = try await bench.start()
            incarnation.coordinator.sendControl(Drain(timeoutMilliseconds: 1000))
            try await bench.drained.until { $0 == 1 }
            incarnation.coordinator.end()
            try await incarnation.host.ended.value.get()
        }
    }
}
