import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

/// Deadlines of events that a worker applies.
@Suite(.timeLimit(.minutes(10)))
struct DeadlineTests {
    @Test("An event whose deadline passes before there is a worker ends then, and is never applied (F55)")
    func withoutAWorker() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let late = channel.send(.add(1), deadline: .now + .milliseconds(20))
            let inTime = channel.send(.add(2), deadline: .now + .seconds(86_400))
            #expect(await late.finish() == .rejected(.deadlinePassed))
            try await bench.start()
            #expect(await inTime.finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [2])
        }
    }

    @Test("An event whose deadline passed in transit is rejected, and later events are applied (F55)")
    func onItsWay() async throws {
        try await WorkerBench.withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1), on: session)
            let actions = try [1, 2, 3].map { try CBOREncoder().encode(JournalFeature.Action.add($0)) }
            session.send { queue in
                queue.addEvent(
                    EventMessage(event: 1, action: actions[0], context: TravelContext(leftMilliseconds: 60_000)),
                    on: 2
                )
                queue.addEvent(
                    EventMessage(event: 2, action: actions[1], context: TravelContext(leftMilliseconds: 0)),
                    on: 2
                )
                queue.addEvent(EventMessage(event: 3, action: actions[2]), on: 2)
            }
            let record = try await recorder.record.until { $0.completed.count == 3 }
            #expect(record.outcomes == [1: .finished, 2: .deadlinePassed, 3: .finished])
            #expect(try record.states.last?.state.entries == [1, 3])
        }
    }

    @Test("An event's effects are cancelled at its deadline without a request")
    func cancels() async throws {
        try await WorkerBench.withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1), on: session)
            let gate = Gates.makeName()
            let action = try CBOREncoder().encode(JournalFeature.Action.wait(1, gate: gate))
            session.send {
                $0.addEvent(
                    EventMessage(event: 1, action: action, context: TravelContext(leftMilliseconds: 1000)),
                    on: 2
                )
            }
            let record = try await recorder.record.until { $0.completed.count == 1 }
            #expect(record.outcomes == [1: .cancelled(WireCancellation(by: .deadline, stage: .whileRunning))])
            #expect(try record.states.last?.state.entries == [1])
            // On a busy machine it may not begin in time.
            if Gates.arrivals(gate) > 0 { try await Gates.untilCancelled(gate) }
        }
    }

    @Test("An effect can read its deadline")
    func isSeen() async throws {
        try await WorkerBench.with { bench in
            let channel = bench.open(WorkerBench.Recorder())
            try await bench.start()
            let gate = Gates.makeName()
            let deadline = ContinuousClock.now + .seconds(3600)
            let tasks = [channel.send(.wait(1, gate: gate), deadline: deadline), channel.send(.wait(2, gate: gate))]
            try await Gates.untilArrived(gate, count: 2)
            Gates.open(gate)
            for task in tasks { #expect(await task.finish() == .finished) }
            let seen = Gates.deadlines(gate).compactMap(\.self)
            #expect(seen.count == 1)
            let late = try #require(seen.first)
            // It is as late as the way there takes.
            #expect((Duration.seconds(-1)...(.seconds(600))).contains(deadline.duration(to: late)))
        }
    }

    @Test("An unacknowledged event of a dead worker ends at its deadline, also without another worker (F55)")
    func deadWorker() async throws {
        try await WorkerBench.with(.messages) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            bench.current?.worker.connection.pauseReading()
            let late = channel.send(.add(1), deadline: .now + .milliseconds(100))
            let inTime = channel.send(.add(2), deadline: .now + .seconds(86_400))
            try await bench.kill()
            #expect(await late.finish() == .rejected(.deadlinePassed))
            try await bench.start()
            #expect(await inTime.finish() == .finished)
            #expect(recorder.record.value.states.last?.entries == [2])
        }
    }

    @Test("An event of a worker that hangs ends soon after its deadline, and its later outcome is ignored (F55)")
    func hangingWorker() async throws {
        try await WorkerBench.with(.messages) { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder, limits: ChannelLimits())
            try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            let worker = try #require(bench.current?.worker)
            worker.connection.pauseReading()
            let late = channel.send(.add(1), deadline: .now + .milliseconds(50))
            let next = channel.send(.add(2))
            #expect(await late.finish().cancellation == Cancellation(by: .deadline, stage: .unknown))
            #expect(next.outcome == nil)
            worker.connection.resumeReading()
            #expect(await next.finish() == .finished)
            // On a busy machine no time may be left when the event is written. Otherwise the worker applies it.
            #expect([[1, 2], [2]].contains(recorder.record.value.states.last?.entries))
        }
    }

    @Test("An unacknowledged event of a dead worker has the rest of its time in the next one (F55)")
    func nextWorker() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            try await bench.kill()
            let gate = Gates.makeName()
            let task = channel.send(.wait(1, gate: gate), deadline: .now + .milliseconds(500))
            try await bench.start()
            #expect([.cancelled, .rejected(.deadlinePassed)].contains(await task.finish()))
            #expect(await channel.send(.add(2)).finish() == .finished)
        }
    }

    @Test("An event whose deadline has passed is not applied again after a rollback (F69)")
    func takenBack() async throws {
        try await WorkerBench.withUnreadState { recorder, session in
            try await session.apply(2, .add(5), leftMilliseconds: 200)
            try await session.apply(3, .add(6), leftMilliseconds: 86_400_000)
            try await session.apply(4, .grow(2_000_000))
            // The deadline has to pass, so the test must wait.
            try await ContinuousClock().wait(for: .milliseconds(201))
            session.connection.resumeReading()
            let record = try await recorder.record.until { $0.completed.count == 4 }
            #expect(record.outcomes[1] == .finished)
            #expect(record.outcomes[2] == .deadlinePassed)
            #expect(record.outcomes[3] == .finished)
            #expect(record.failed == [4])
        }
    }

    @Test(
        "An event that ends before it is sent is also removed from the count of events in flight",
        arguments: [true, false]
    )
    func isDelivered(isCancelled: Bool) async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let deliveries = Watched(0)
            recorder.onDelivery.change { $0 = { deliveries.change { $0 += 1 } } }
            let channel = bench.open(recorder)
            let task = isCancelled ? channel.send(.add(1)) : channel.send(.add(1), deadline: .now + .milliseconds(10))
            if isCancelled { task.cancel() }
            #expect(await task.finish() == (isCancelled ? .cancelled : .rejected(.deadlinePassed)))
            try await deliveries.until { $0 == 1 }
        }
    }
}

extension SessionRecorder.Record {
    fileprivate var outcomes: [UInt64: WireOutcome] {
        completions.reduce(into: [:]) { outcomes, message in
            for event in message.event...(message.through ?? message.event) { outcomes[event] = message.outcome }
        }
    }
}
