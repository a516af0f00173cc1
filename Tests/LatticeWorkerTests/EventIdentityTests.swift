import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker
import Testing

/// Tests the event IDs that effects in a worker read.
@Suite(.timeLimit(.minutes(10)))
struct EventIdentityTests {
    /// Returns the origin of a client that sends through the coordinator.
    private func origin(_ channel: UInt32 = 5) -> EventOrigin {
        EventOrigin(sender: .random(), channel: channel, feature: JournalFeature.identifier, instance: "")
    }

    private func encoded(_ action: JournalFeature.Action) throws -> [UInt8] {
        try CBOREncoder().encode(action)
    }

    @Test func theCoordinatorsOwnEventsNameIt() async throws {
        try await WorkerBench.with { bench in
            let channel = bench.open(WorkerBench.Recorder(), instance: "42")
            try await bench.start()
            let gate = Gates.makeName()
            Gates.open(gate)
            let tasks = [channel.send(.wait(1, gate: gate)), channel.send(.wait(2, gate: gate))]
            for task in tasks { #expect(await task.finish() == .finished) }
            #expect(Set(Gates.events(gate)) == Set(tasks.map(\.id)))
            #expect(tasks.map { $0.id?.description } == [1, 2].map { "journal/42/\(bench.sender)/2/\($0)" })
        }
    }

    @Test func anEventThatWasRejectedAtOnceHasNoName() async throws {
        try await WorkerBench.with { bench in
            let channel = bench.open(WorkerBench.Recorder())
            #expect(channel.send(.unencodable(Unencodable())).id == nil)
        }
    }

    @Test("An event that is sent again after a worker's death keeps its name (F59)")
    func aRepetitionKeepsItsName() async throws {
        try await WorkerBench.with(.messages) { bench in
            let channel = bench.open(WorkerBench.Recorder())
            let incarnation = try await bench.start()
            #expect(await channel.send(.add(1)).finish() == .finished)
            // The worker's messages are no longer received, but its effects still begin.
            incarnation.coordinator.connection.pauseReading()
            let (gate, theirs) = (Gates.makeName(), EventID(origin: origin(), number: 9))
            let own = channel.send(.wait(2, gate: gate))
            let completion = channel.send(encoded: try encoded(.wait(3, gate: gate)), as: theirs)
            try await Gates.untilArrived(gate, count: 2)
            try await bench.kill(unread: true)
            try await bench.start()
            try await Gates.untilArrived(gate, count: 4)
            Gates.open(gate)
            #expect(await own.finish() == .finished)
            #expect(await completion.wait() == .finished)
            let expected: Set<EventID?> = [own.id, theirs]
            #expect(Set(Gates.events(gate).prefix(2)) == expected)
            #expect(Set(Gates.events(gate).suffix(2)) == expected)
        }
    }

    @Test func moreSendersThanAChannelKnowsAtATimeAreDistinguished() async throws {
        try await WorkerBench.with { bench in
            var limits = ChannelLimits()
            limits.maximumOrigins = 2
            let channel = bench.open(WorkerBench.Recorder(), limits: limits)
            try await bench.start()
            let gate = Gates.makeName()
            Gates.open(gate)
            let origins = (1...3).map { origin($0) }
            var sent: [EventID] = []
            for number in 1...5 as ClosedRange<UInt64> {
                for origin in origins {
                    let id = EventID(origin: origin, number: number)
                    sent.append(id)
                    let completion = channel.send(encoded: try encoded(.wait(1, gate: gate)), as: id)
                    #expect(await completion.wait() == .finished)
                }
            }
            #expect(Gates.events(gate) == sent)
        }
    }

    @Test func anEventOfAnUnknownSenderEndsTheSession() async throws {
        try await WorkerBench.with { bench in
            let recorder = WorkerBench.Recorder()
            let channel = bench.open(recorder)
            let incarnation = try await bench.start()
            try await recorder.record.until { $0.opened == 1 }
            incarnation.coordinator.send { queue in
                let sender = [UInt8](repeating: 1, count: 16)
                queue.addData(OriginMessage(index: 3, sender: sender, channel: 1), on: channel.channel.number)
                let event = EventMessage(event: 1, action: [1], origin: .init(index: 2, number: 1))
                queue.addEvent(event, on: channel.channel.number)
            }
            let error = try await bench.closed.until { $0.count == 1 }.first ?? nil
            #expect(error?.code == .goodbye)
            #expect(error?.detail.contains("Event 1 comes from origin 2,") == true)
        }
    }
}
