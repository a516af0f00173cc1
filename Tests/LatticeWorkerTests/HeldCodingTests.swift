import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import LatticeWorker
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests large states whose coding is blocked on another thread while everything else continues.
// One after the other: few threads code at a time.
@Suite(.timeLimit(.minutes(10)), .serialized) struct HeldCodingTests {
    private typealias Channel = FeatureClient<HeldFeature.Action, HeldFeature.DomainState>
    private typealias Recorder = ChannelRecorder<HeldFeature.DomainState>

    private struct Bench {
        let channels: ClientChannels
        let owner: OwnerRecorder
        let recorder = Recorder()
        let channel: Channel
        let journal: FeatureClient<JournalFeature.Action, JournalFeature.DomainState>

        init(_ near: Reactor) throws {
            owner = OwnerRecorder()
            channels = ClientChannels(eventLoop: near, as: .acceptor)
            channels.connect(owner)
            channel = try Channel(
                .init(HeldFeature.self, in: HostContext()),
                in: channels,
                sender: .random(),
                deliver: { [recorder] in recorder.receive($0) }
            )
            let others = ChannelRecorder<JournalFeature.DomainState>()
            journal = try FeatureClient(
                .init(JournalFeature.self, in: HostContext()),
                in: channels,
                sender: .random(),
                deliver: { others.receive($0) }
            )
        }

        /// Runs `body` with a worker.
        func withWorker(liveness: Duration = .seconds(60), _ body: (Session) async throws -> Void) async throws {
            guard let near = channels.eventLoop as? Reactor else { return }
            try await withReactor { far in
                let (one, other) = MemoryConnection.pair(eventLoop: near, other: far)
                let host = WorkerHost(features: [HeldFeature.self, JournalFeature.self], eventLoop: far)
                let coordinator = Session(
                    over: one,
                    as: .acceptor(Handshakes.acceptance()),
                    liveness: Liveness(interval: .milliseconds(50), timeout: liveness),
                    handler: channels
                )
                let worker = Session(
                    over: other,
                    as: .initiator(Handshakes.hello()),
                    handshakeTimeout: nil,
                    handler: host
                )
                let opened = owner.opened.value
                coordinator.start()
                worker.start()
                try await owner.opened.until { $0 == opened + 1 }
                try await body(coordinator)
            }
        }

        /// Makes the state a large one and ends the worker, so that the next one starts from it.
        func grow(in session: Session) async throws {
            #expect(await channel.send(.grow).finish() == .finished)
            try await lose(session)
        }

        func lose(_ session: Session) async throws {
            session.connection.close()
            try await owner.closed.until { $0.count == 1 }
            channels.detach(interruption: Interruption(cause: .signal(9), incarnation: 1))
        }
    }

    private func with(_ body: (Bench) async throws -> Void) async throws {
        defer { HeldFeature.gate.open() }
        try await withReactor { near in try await body(try Bench(near)) }
    }

    @Test("Events of all channels are applied while a large state is encoded, and released only after their states")
    func turnsGoOnWhileAStateIsEncoded() async throws {
        try await with { bench in
            try await bench.withWorker { _ in
                #expect(await bench.channel.send(.grow).finish() == .finished)
                HeldFeature.gate.hold(.encoding)
                let first = bench.channel.send(.add(1))
                try await HeldFeature.gate.arrived.until { $0 == .encoding }
                let second = bench.channel.send(.add(2))
                let running = bench.channel.send(.hold(3))
                #expect(await bench.journal.send(.add(1)).finish() == .finished)
                // Behind those that were sent before it on the same connection.
                running.cancel()
                #expect(await bench.journal.send(.add(2)).finish() == .finished)
                #expect(bench.recorder.record.value.acknowledged == 1)
                #expect(bench.recorder.record.value.states.last?.entries == [])
                #expect([first, second, running].map(\.outcome) == [nil, nil, nil])
                HeldFeature.gate.open()
                #expect(await first.finish() == .finished)
                #expect(await second.finish() == .finished)
                #expect(await running.finish() == .cancelled)
                let states = bench.recorder.record.value.states.map(\.entries)
                // One between them, if they do not come in the same moment.
                #expect(states.last == [1, 2, 3])
            }
        }
    }

    @Test("A worker that hangs while it encodes a large state does not answer, and is given up (F7)")
    func hangsAreFound() async throws {
        try await with { bench in
            try await bench.withWorker { try await bench.grow(in: $0) }
            let task = bench.channel.send(.add(1))
            var limit = Duration.seconds(2)
            // On a busy machine it may be given up before it comes to encode: then again, with more time.
            repeat {
                HeldFeature.gate.hold(.encoding)
                try await bench.withWorker(liveness: limit) { [before = bench.owner.closed.value.count] _ in
                    let closed = try await bench.owner.closed.until { $0.count > before }
                    #expect(closed.last??.code == .timeout)
                    HeldFeature.gate.open()
                    bench.channels.detach(interruption: Interruption(cause: .hang, incarnation: 1))
                }
                limit = limit * 4
            } while HeldFeature.gate.arrived.value != .encoding
            bench.channels.close(ChannelEnd(reason: "the end"), interruption: .disconnected)
            _ = await task.finish()
        }
    }

    @Test("Other channels continue while a large state is decoded, and the next worker starts from that state")
    func channelsGoOnWhileAStateIsDecoded() async throws {
        try await with { bench in
            var grown: EventTask?
            try await bench.withWorker { session in
                #expect(await bench.channel.send(.add(1)).finish() == .finished)
                HeldFeature.gate.hold(.decoding)
                grown = bench.channel.send(.grow)
                try await HeldFeature.gate.arrived.until { $0 == .decoding }
                #expect(await bench.journal.send(.add(1)).finish() == .finished)
                #expect(grown?.outcome == nil)
                #expect(bench.recorder.record.value.states.last?.padding.isEmpty == true)
                try await bench.lose(session)
            }
            try await bench.withWorker { _ in
                // Opened behind the one whose state is not known yet.
                let journal = bench.journal.send(.add(2))
                HeldFeature.gate.open()
                #expect(await grown?.finish() == .finished)
                #expect(await journal.finish() == .finished)
                #expect(await bench.channel.send(.add(2)).finish() == .finished)
                let state = try #require(bench.recorder.record.value.states.last)
                #expect(state.entries == [1, 2])
                #expect(state.padding.count == HeldFeature.padding)
            }
        }
    }

    @Test("A worker decodes its initial state while other channels continue, unless the channel is left")
    func othersGoOnWhileAWorkerDecodes() async throws {
        try await with { bench in
            try await bench.withWorker { try await bench.grow(in: $0) }
            HeldFeature.gate.hold(.decoding)
            try await bench.withWorker { _ in
                try await HeldFeature.gate.arrived.until { $0 == .decoding }
                #expect(await bench.journal.send(.add(1)).finish() == .finished)
                let task = bench.channel.send(.add(1))
                bench.channels.remove(bench.channel.channel)
                #expect(await task.finish() == .cancelled)
                #expect(await bench.journal.send(.add(2)).finish() == .finished)
                HeldFeature.gate.open()
                #expect(await bench.journal.send(.add(3)).finish() == .finished)
                #expect(bench.owner.closed.value.count == 1)
            }
        }
    }
}

/// A feature whose state can be made large, and whose coding can be blocked.
private enum HeldFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case add(Int)
        /// Adds the number and waits for ever.
        case hold(Int)
        /// Makes the state a large one.
        case grow
    }

    struct DomainState: Codable, Equatable, Sendable {
        var entries: [Int] = []
        var padding = ""
        var held = Held()
    }

    struct Held: Codable, Equatable, Sendable {
        init() {}

        init(from decoder: any Decoder) throws {
            gate.pass(.decoding)
            _ = try decoder.singleValueContainer().decode(Bool.self)
        }

        func encode(to encoder: any Encoder) throws {
            gate.pass(.encoding)
            var container = encoder.singleValueContainer()
            try container.encode(true)
        }
    }

    final class Gate: Sendable {
        enum Place { case encoding, decoding }

        private let held = Watched<Place?>(nil)
        /// The place at which a coding is blocked.
        let arrived = Watched<Place?>(nil)

        func hold(_ place: Place) {
            arrived.change { $0 = nil }
            held.change { $0 = place }
        }

        func open() {
            held.change { $0 = nil }
        }

        /// Keeps the thread, and not for ever, so that a failure ends.
        func pass(_ place: Place) {
            let end = ContinuousClock.now + .seconds(60)
            while held.value == place, ContinuousClock.now < end {
                arrived.change { $0 = place }
                usleep(2000)
            }
        }
    }

    static let gate = Gate()
    static let padding = 2 * CodingThreads.largeBytes
    static let identifier = "held"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .add(let number):
                state.entries.append(number)
                return .none
            case .hold(let number):
                state.entries.append(number)
                return .perform {
                    try await Task.sleep(for: .seconds(86_400))
                    return nil
                }
            case .grow:
                state.padding = String(repeating: "x", count: padding)
                return .none
            }
        }
    }

    static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: { $0.entries.count }) { $1 = $0.entries.count }
    }
}
