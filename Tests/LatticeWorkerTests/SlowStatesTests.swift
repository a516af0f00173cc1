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

/// States that take long to be encoded and decoded, between sides that each ask whether the other one is there.
@Suite(.timeLimit(.minutes(10))) struct SlowStatesTests {
    private typealias Channel = FeatureClient<SlowFeature.Action, SlowFeature.DomainState>

    // On a busy machine, two seconds may pass between two signs of life.
    private static let limit: Duration = .seconds(4)

    @Test("A state that takes longer than the limit to encode, decode and restore ends no session (F7)")
    func codingIsNoHang() async throws {
        try await withReactor { near in
            let owner = OwnerRecorder()
            let channels = ClientChannels(eventLoop: near, as: .acceptor)
            channels.connect(owner)
            let recorder = ChannelRecorder<SlowFeature.DomainState>()
            let channel = try Channel(
                .init(SlowFeature.self, in: HostContext()),
                in: channels,
                sender: .random(),
                deliver: { recorder.receive($0) }
            )
            try await withWorker(channels, near) {
                try await owner.opened.until { $0 == 1 }
                let start = ContinuousClock.now
                #expect(await channel.send(.fill(250)).finish() == .finished)
                // It was encoded there and decoded here.
                #expect(start.duration(to: .now) > Self.limit * 2)
                #expect(owner.closed.value.isEmpty)
            }
            try await owner.closed.until { $0.count == 1 }
            channels.detach(interruption: Interruption(cause: .signal(9), incarnation: 1))
            try await withWorker(channels, near) {
                // The next worker begins with decoding it.
                #expect(await channel.send(.add(7)).finish() == .finished)
                #expect(owner.closed.value.count == 1)
            }
            #expect(recorder.record.value.states.last?.elements.count == 251)
        }
    }

    private func withWorker(_ channels: ClientChannels, _ near: Reactor, _ body: () async throws -> Void) async throws {
        try await withReactor { far in
            let (one, other) = MemoryConnection.pair(eventLoop: near, other: far)
            let liveness = Liveness(interval: .milliseconds(50), timeout: Self.limit)
            let host = WorkerHost(features: [SlowFeature.self], eventLoop: far)
            let coordinator = Session(
                over: one,
                as: .acceptor(Handshakes.acceptance()),
                liveness: liveness,
                handler: channels
            )
            let worker = Session(over: other, as: .initiator(Handshakes.hello()), liveness: liveness, handler: host)
            coordinator.start()
            worker.start()
            try await body()
        }
    }
}

/// Each element of its state takes 20 milliseconds to be encoded, and as many to be decoded.
private enum SlowFeature: HostedFeature {
    enum Action: Codable, Sendable {
        case fill(Int)
        case add(Int)
    }

    struct DomainState: Codable, Equatable, Sendable {
        var elements: [Element] = []
    }

    struct Element: Codable, Equatable, Sendable {
        var numbers: [Int]

        init(_ number: Int) { numbers = Array(repeating: number, count: 128) }

        init(from decoder: any Decoder) throws {
            usleep(20_000)
            numbers = try decoder.singleValueContainer().decode([Int].self)
        }

        func encode(to encoder: any Encoder) throws {
            usleep(20_000)
            var container = encoder.singleValueContainer()
            try container.encode(numbers)
        }
    }

    static let identifier = "slow"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .fill(let count): state.elements = (0..<count).map(Element.init)
            case .add(let number): state.elements.append(Element(number))
            }
            return .none
        }
    }

    static func reducer() -> BuildViewState<DomainState, Int> {
        BuildViewState(initial: { $0.elements.count }) { $1 = $0.elements.count }
    }
}
