import LatticeCoding
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker
import Testing

/// Tests the messages that are sent while events are applied, rolled back and applied again.
@Suite(.timeLimit(.minutes(10)))
struct RollBackTests {
    typealias Action = JournalFeature.Action

    /// Events that come in one turn; their numbers are what they add.
    struct Burst: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let actions: [Action]

        init(_ description: String, _ action: (Int) -> Action, count: Int) {
            testDescription = description
            actions = (1...count).map(action)
        }
    }

    static let bursts = [
        Burst("one of many without effects", { $0 == 10 ? .grow(5000) : .add($0) }, count: 2000),
        Burst("several of many", { $0 % 97 == 0 ? .grow(5000) : .add($0) }, count: 400),
        Burst("one after many that replace one another", { $0 == 66 ? .grow(5000) : .replace($0) }, count: 66),
        Burst("one among many that replace one another", { $0 == 150 ? .grow(5000) : .replace($0) }, count: 300),
        Burst("one that cannot be encoded", { $0 == 70 ? .damage("unencodable") : .add($0) }, count: 200),
        Burst("every second one", { $0 % 2 == 0 ? .grow(100_000) : .replace($0) }, count: 200),
    ]

    @Test(
        "Each published state contains each event that it acknowledges once, and each event ends once (F69)",
        arguments: bursts
    )
    func eachStateHoldsWhatItAcknowledges(burst: Burst) async throws {
        try await check(burst.actions, maximumState: 50_000)
    }

    @Test(
        "Events are also applied and ended once while states are encoded on another thread (F69)",
        arguments: [
            Burst("one of many that are too large", { $0 == 10 ? .grow(500_000) : .add($0) }, count: 2000),
            Burst("several that cannot be encoded", { $0 % 97 == 0 ? .damage("unencodable") : .add($0) }, count: 400),
            Burst("several that replace one another", { $0 % 50 == 0 ? .grow(500_000) : .replace($0) }, count: 200),
        ]
    )
    func theSameOnAnotherThread(burst: Burst) async throws {
        try await check([.grow(2 * CodingThreads.largeBytes)] + burst.actions, maximumState: 700_000, piecemeal: true)
    }

    /// - Parameter piecemeal: Whether the events come one after the other, and not in one turn.
    private func check(_ actions: [Action], maximumState: UInt32, piecemeal: Bool = false) async throws {
        try await WorkerBench.withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1, maximumState: maximumState), on: session)
            for (start, part) in parts(of: actions, piecemeal) {
                session.send { queue in
                    for (index, action) in part.enumerated() {
                        guard let bytes = try? CBOREncoder().encode(action) else { continue }
                        queue.addEvent(UInt64(start + index + 1), action: bytes, on: 2)
                    }
                }
                if piecemeal { await session.eventLoop.endOfTick() }
            }
            // Of effects that replace one another, the last one runs for ever.
            let running = actions.contains { if case .replace = $0 { true } else { false } } ? 1 : 0
            let count = actions.count
            try await recorder.record.until { $0.completed.count >= count - running }
            let record = try await recorder.record.until { $0.applied == UInt64(count) }
            #expect(Set(record.completed).count == record.completed.count)
            for (state, applied) in try record.states {
                let expected = actions.prefix(Int(applied)).compactMap(\.added)
                #expect(state.entries == expected, "the state with \(applied) events")
            }
        }
    }

    private func parts(of actions: [Action], _ piecemeal: Bool) -> [(start: Int, actions: ArraySlice<Action>)] {
        let size = piecemeal ? 7 : actions.count
        return stride(from: 0, to: actions.count, by: size).map { start in
            (start, actions[start..<min(start + size, actions.count)])
        }
    }

    @Test("An outcome before a rolled-back state is sent once, in whatever order events ended (F69)")
    func whatWasFinishedBeforeIsSentOnce() async throws {
        try await WorkerBench.withUnreadState { recorder, session in
            try await session.apply(2, .wait(2, gate: Gates.makeName()))
            // More than is kept to be applied again: its state is secured, and cannot go out yet.
            try await session.apply(3, .damage(String(repeating: "x", count: 1 << 21)))
            try await session.apply(4, .grow(2_000_000))
            session.sendControl(CancelMessage(event: 2), on: 2)
            await session.settle()
            session.connection.resumeReading()
            try await recorder.record.until { $0.completed.count >= 4 }
            await session.settle()
            let record = recorder.record.value
            #expect(record.completed.sorted() == [1, 2, 3, 4])
            #expect(record.failed == [4])
        }
    }

    @Test(
        "A feature whose first state is too large is refused, and the worker's other features continue (F69)",
        arguments: [10, 1]
    )
    func aFirstStateThatIsTooLargeIsRefused(limit: UInt32) async throws {
        try await WorkerBench.withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1), on: session)
            session.send { $0.addOpen(Open(feature: "journal", schema: 1, maximumState: limit), on: 4) }
            let record = try await recorder.record.until { $0.messages.contains { $0.kind == .openRefused } }
            let refusal = try #require(record.messages.first { $0.kind == .openRefused })
            let refused = try OpenRefused(decoding: refusal.body)
            let bytes = try CBOREncoder().encode(JournalFeature.DomainState()).count
            #expect(
                refused.reason
                    == "The state of \"journal\" has \(bytes) bytes, but at most \(limit) can be sent. Keep large data in"
                    + " files, or allow larger states."
            )
            session.send { queue in
                guard let bytes = try? CBOREncoder().encode(Action.add(1)) else { return }
                queue.addEvent(1, action: bytes, on: 2)
            }
            try await recorder.record.until { $0.completed == [1] }
            #expect(recorder.record.value.closed == 0)
        }
    }
}

extension JournalFeature.Action {
    fileprivate var added: Int? {
        switch self {
        case .add(let number), .replace(let number): number
        default: nil
        }
    }
}

extension SessionRecorder {
    func open(_ open: Open, on session: Session) async throws {
        session.send { $0.addOpen(open, on: 2) }
        try await record.until { $0.messages.contains { $0.kind == .opened } }
    }
}

extension SessionRecorder.Record {
    var completions: [CompletionMessage] {
        messages.filter { $0.kind == .completion && $0.channel == 2 }
            .compactMap {
                try? CompletionMessage(decoding: $0.body)
            }
    }

    /// The completed events in the order of their completions.
    var completed: [UInt64] { completions.flatMap { Array($0.event...($0.through ?? $0.event)) } }

    var failed: [UInt64] {
        completions.compactMap { if case .failed = EventOutcome($0.outcome) { $0.event } else { nil } }
    }

    var states: [(state: JournalFeature.DomainState, applied: UInt64)] {
        get throws {
            try messages.filter { $0.kind == .state }.map { message in
                let state = try StateMessage(decoding: message.body)
                return (try CBORDecoder().decode(JournalFeature.DomainState.self, from: state.state), state.applied)
            }
        }
    }

    /// The highest event that a state or an acknowledgement contained.
    var applied: UInt64 {
        let states = messages.filter { $0.kind == .state }.compactMap { try? StateMessage(decoding: $0.body).applied }
        let rest = messages.filter { $0.kind == .acknowledgement }
            .compactMap { try? AcknowledgementMessage(decoding: $0.body).applied }
        return (states + rest).max() ?? 0
    }
}

extension Session {
    /// Sends an event in a turn of its own.
    func apply(_ event: UInt64, _ action: JournalFeature.Action, leftMilliseconds: UInt64? = nil) async throws {
        let bytes = try CBOREncoder().encode(action)
        let message = EventMessage(
            event: event,
            action: bytes,
            context: TravelContext(leftMilliseconds: leftMilliseconds)
        )
        send { $0.addEvent(message, on: 2) }
        await settle()
    }

    /// Waits until the other end, which is on the same reactor, has handled all sent messages and has released the
    /// states that they led to.
    fileprivate func settle() async {
        // One tick may run everything that is enqueued meanwhile, so each wait is for the end of a tick.
        for _ in 1...20 { await connection.eventLoop.endOfTick() }
    }
}

extension WorkerBench {
    /// Runs a test with a journal whose state after event 1 is not read. Later states have to wait, and a state of 4 MB
    /// is too large.
    static func withUnreadState(_ body: (SessionRecorder, Session) async throws -> Void) async throws {
        try await withHost { recorder, session, _ in
            try await recorder.open(Open(feature: "journal", schema: 1, maximumState: 4_000_000), on: session)
            session.connection.pauseReading()
            try await session.apply(1, .grow(3_000_000))
            try await body(recorder, session)
        }
    }
}
