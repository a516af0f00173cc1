import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Tests that each client gets the view state of its key, and no byte of another one.
@Suite(.timeLimit(.minutes(10)))
struct ViewerStatesTests {
    /// A client that has the instance open, with everything that it received.
    private final class Seat<Shown: HandShowing>: Sendable {
        typealias Feature = HandsFeature<Shown>

        let client: TestClient
        let recorder = ChannelRecorder<Shown>()
        let channel: FeatureClient<Feature.Action, Shown>
        let received: Watched<[UInt8]>

        init(_ bench: CoordinatorBench, _ identity: UInt8) {
            received = Watched([])
            client = bench.makeClient(identity: identity)
            channel = FeatureClient(
                .init(Feature.self, instance: ""),
                in: client.channels,
                sender: EventSender([UInt8](repeating: identity, count: 16)),
                deliver: { [recorder] in recorder.receive($0) }
            )
        }

        func connect() async throws {
            let before = recorder.record.value.opened
            client.taps.change { [received] in $0 = received }
            try await client.connect()
            try await recorder.record.until { $0.opened > before || $0.rejection != nil }
        }

        /// Waits until the client shows a hand.
        func until(_ hand: [String]) async throws {
            try await recorder.record.until { $0.states.last?.hand == hand }
        }

        var text: String { String(decoding: received.value, as: UTF8.self) }

        /// The kinds of the messages that were received after this number of bytes.
        func kinds() throws -> [MessageKind?] { try WrittenFrame.all(in: received.value).map(\.kind) }
    }

    private func withBench<Shown: HandShowing>(
        of shown: Shown.Type,
        _ configuration: CoordinatorConfiguration = .patient,
        _ body: (CoordinatorBench, FeatureHost<HandsFeature<Shown>>) async throws -> Void
    ) async throws {
        try await CoordinatorBench.with(hosting: [HandsFeature<Shown>.self], configuration: configuration) { bench in
            bench.startWorker()
            let host = try await bench.host(HandsFeature<Shown>.self)
            try await host.whenOpened()
            try await body(bench, host)
        }
    }

    private func viewers<Shown>(_ host: FeatureHost<HandsFeature<Shown>>) async -> Int? {
        await host.eventLoop.run { [presenter = host.presenter] in presenter.viewFigures.viewers }
    }

    @Test("Clients with different keys see different states, and no byte of another key's", arguments: [false, true])
    func different(isPatched: Bool) async throws {
        if isPatched { try await different(PatchedHand.self) } else { try await different(WholeHand.self) }
    }

    private func different<Shown: HandShowing>(_ shown: Shown.Type) async throws {
        try await withBench(of: shown) { bench, host in
            let (one, two) = (Seat<Shown>(bench, 1), Seat<Shown>(bench, 2))
            try await one.connect()
            try await two.connect()
            for number in 1...3 {
                #expect(await one.channel.send(.deal("odd-card-\(number)", to: "odd")).finish() == .finished)
                #expect(await one.channel.send(.deal("even-card-\(number)", to: "even")).finish() == .finished)
                let own = await host.viewModel.sendViewEvent(.deal("program-card-\(number)", to: "program"))
                #expect(await own.finish() == .finished)
            }
            // One client with a known key and one with a new one come late.
            // Other tests do not use the second identity, because its key is changed for all of them.
            let (late, third) = (Seat<Shown>(bench, 3), Seat<Shown>(bench, shown is any Patchable.Type ? 0xe4 : 0xe6))
            HandTeams.chosen.withLock { $0[third.client.name] = "third" }
            defer { HandTeams.chosen.withLock { $0[third.client.name] = nil } }
            try await late.connect()
            try await third.connect()
            #expect(await one.channel.send(.say("hello")).finish() == .finished)
            for (seat, team) in [(one, "odd"), (two, "even"), (late, "odd"), (third, "third")] {
                let seen = try await seat.recorder.record.until { $0.states.last?.board == ["hello"] }
                let hand = team == "third" ? [] : (1...3).map { "\(team)-card-\($0)" }
                #expect(seen.states.last?.hand == hand)
                for other in ["odd", "even", "program", "third"] {
                    #expect(seat.text.contains("\(other)-card") == (other == team && team != "third"))
                }
            }
            #expect(await host.viewModel.viewState.hand == (1...3).map { "program-card-\($0)" })
            #expect(await viewers(host) == 3)
            #expect(try one.kinds().contains(.patch) == (shown is any Patchable.Type))
        }
    }

    @Test("A client that comes back to its key gets what has changed, and the last one that leaves ends the view state")
    func comesBack() async throws {
        try await withBench(of: PatchedHand.self) { bench, host in
            let (one, two) = (Seat<PatchedHand>(bench, 1), Seat<PatchedHand>(bench, 2))
            try await two.connect()
            // A small state would be sent as a whole, because a patch of it is no smaller.
            #expect(await two.channel.send(.pad(1_000, of: "odd")).finish() == .finished)
            try await one.connect()
            #expect(await two.channel.send(.deal("odd-card-1", to: "odd")).finish() == .finished)
            try await one.until(["odd-card-1"])
            try await one.client.disconnect()
            #expect(await two.channel.send(.deal("odd-card-2", to: "odd")).finish() == .finished)
            let before = one.received.value.count
            try await one.connect()
            try await one.until(["odd-card-1", "odd-card-2"])
            let text = String(decoding: one.received.value[before...], as: UTF8.self)
            // A whole state, and no patch of the hand, contains the padding.
            #expect(text.contains("odd-card-2") && !text.contains("xxxxxxxx"))
            #expect(await viewers(host) == 2)

            try await one.client.disconnect()
            await bench.tick(after: .seconds(1_000_000))
            try await poll { await viewers(host) == 1 }
            one.client.channels.remove(one.channel.channel)
            try await two.client.disconnect()
            try await two.connect()
            #expect(await two.channel.send(.deal("even-card-1", to: "even")).finish() == .finished)
            try await two.until(["even-card-1"])
            two.client.channels.remove(two.channel.channel)
            try await poll { await viewers(host) == 0 }
        }
    }

    @Test("A client that comes back with another key gets that state as a whole, and nothing of the earlier one")
    func otherKey() async throws {
        try await withBench(of: PatchedHand.self) { bench, host in
            // Other tests do not use this identity.
            let (one, two) = (Seat<PatchedHand>(bench, 0xe1), Seat<PatchedHand>(bench, 2))
            try await one.connect()
            try await two.connect()
            #expect(await two.channel.send(.deal("odd-card-1", to: "odd")).finish() == .finished)
            #expect(await two.channel.send(.deal("even-card-1", to: "even")).finish() == .finished)
            try await one.until(["odd-card-1"])
            try await one.client.disconnect()
            #expect(await two.channel.send(.deal("odd-card-2", to: "odd")).finish() == .finished)
            HandTeams.chosen.withLock { $0[one.client.name] = "even" }
            defer { HandTeams.chosen.withLock { $0[one.client.name] = nil } }
            one.received.change { $0 = [] }
            try await one.connect()
            try await one.until(["even-card-1"])
            #expect(await two.channel.send(.deal("odd-card-3", to: "odd")).finish() == .finished)
            #expect(await one.channel.send(.say("hello")).finish() == .finished)
            #expect(!one.text.contains("odd-card"))
            #expect(await viewers(host) == 1)
        }
    }

    @Test("After a worker's restart, and while the main actor is busy, clients see the states of their keys")
    func restart() async throws {
        try await withBench(of: PatchedHand.self) { bench, host in
            let (one, two) = (Seat<PatchedHand>(bench, 1), Seat<PatchedHand>(bench, 2))
            _ = await host.viewModel
            try await one.connect()
            try await two.connect()
            #expect(await one.channel.send(.deal("odd-card-1", to: "odd")).finish() == .finished)
            try await bench.killWorker()
            let waiting = two.channel.send(.deal("even-card-1", to: "even"))
            let serving = one.recorder.record.value.hosts.count
            bench.startWorker()
            #expect(await waiting.finish() == .finished)
            try await one.recorder.record.until { $0.hosts.count > serving }
            try await withHeldMainActor {
                #expect(await one.channel.send(.deal("odd-card-2", to: "odd")).finish() == .finished)
                try await one.until(["odd-card-1", "odd-card-2"])
                try await two.until(["even-card-1"])
            }
            #expect(!one.text.contains("even-card"))
            #expect(!two.text.contains("odd-card"))
        }
    }

    @Test("If the view state of one key is too large, its clients keep the one before and the others go on")
    func tooLarge() async throws {
        var configuration = CoordinatorConfiguration.patient
        configuration.maximumStateBytes = 1000
        try await withBench(of: WholeHand.self, configuration) { bench, host in
            let (one, two) = (Seat<WholeHand>(bench, 1), Seat<WholeHand>(bench, 2))
            try await one.connect()
            try await two.connect()
            #expect(await two.channel.send(.pad(2000, of: "odd")).finish() == .finished)
            #expect(await two.channel.send(.deal("even-card-1", to: "even")).finish() == .finished)
            try await two.until(["even-card-1"])
            let reached = try await one.recorder.record.until { $0.hosts.last.flatMap(\.problem) != nil }
            #expect(reached.hosts.last?.problem?.contains("and the maximum is 1000") == true)
            #expect(two.recorder.record.value.hosts.allSatisfy { $0.problem == nil })
            let late = Seat<WholeHand>(bench, 5)
            try await late.connect()
            #expect(late.recorder.record.value.states.last?.padding == "")
            // A new key has no state before it.
            HandTeams.chosen.withLock { $0[Seat<WholeHand>(bench, 0xe3).client.name] = "large" }
            #expect(await two.channel.send(.pad(2000, of: "large")).finish() == .finished)
            let refused = Seat<WholeHand>(bench, 0xe3)
            try await refused.connect()
            #expect(refused.recorder.record.value.refusal == .undecodableState)
            #expect(await viewers(host) == 2)
            #expect(await two.channel.send(.pad(0, of: "odd")).finish() == .finished)
            try await one.recorder.record.until { $0.hosts.last.flatMap(\.problem) == nil }
        }
    }

    @Test("Slow reducers run on other threads, and all clients get the states that precede their outcomes")
    func slow() async throws {
        try await withBench(of: PatchedHand.self) { bench, host in
            let seats = (0x11...0x1a).map { Seat<PatchedHand>(bench, $0) }
            let teams = seats.map { "slow-\($0.client.name)" }
            for (seat, team) in zip(seats, teams) {
                HandTeams.chosen.withLock { $0[seat.client.name] = team }
                HandTeams.reductions.withLock { $0[team] = 400_000 }
                HandTeams.loops.withLock { $0[team] = bench.reactor }
            }
            for seat in seats { try await seat.connect() }
            for number in 1...5 {
                for (seat, team) in zip(seats, teams) {
                    #expect(await seat.channel.send(.deal("card-\(team)-\(number)", to: team)).finish() == .finished)
                    #expect(seat.recorder.record.value.states.last?.hand.last == "card-\(team)-\(number)")
                }
            }
            #expect(HandTeams.onLoop.withLock { $0.intersection(teams) }.isEmpty)
            HandTeams.loops.withLock { loops in for team in teams { loops[team] = nil } }
            for seat in seats {
                for team in teams {
                    #expect(seat.text.contains("card-\(team)") == (team == "slow-\(seat.client.name)"))
                }
            }
            #expect(await viewers(host) == seats.count)
        }
    }

    @Test(
        "Whatever clients and workers do, each client sees the hand of its key, and no byte of another one",
        arguments: [1, 2, 3, 4] as [UInt64]
    )
    func random(seed: UInt64) async throws {
        try await withBench(of: PatchedHand.self) { bench, host in
            var generator = SeededGenerator(seed: seed)
            var seats: [Seat<PatchedHand>] = []
            var connected: [Bool] = []
            var hands = ["odd": [String](), "even": []]
            for number in 1...120 {
                let place = seats.indices.randomElement(using: &generator)
                switch Int.random(in: 0..<12, using: &generator) {
                case 0...2 where seats.count < 6, _ where seats.isEmpty:
                    seats.append(Seat(bench, UInt8(seats.count + 1)))
                    connected.append(true)
                    try await seats[seats.count - 1].connect()
                case 3:
                    try await bench.killWorker()
                    bench.startWorker()
                case 4...5:
                    guard let place else { continue }
                    if connected[place] {
                        try await seats[place].client.disconnect()
                    } else {
                        try await seats[place].connect()
                    }
                    connected[place].toggle()
                default:
                    let team = Bool.random(using: &generator) ? "odd" : "even"
                    hands[team]?.append("\(team)-card-\(number)")
                    let sent = await host.viewModel.sendViewEvent(.deal("\(team)-card-\(number)", to: team))
                    #expect(await sent.finish() == .finished)
                }
            }
            for (place, seat) in seats.enumerated() {
                if !connected[place] { try await seat.connect() }
                let (team, other) = place.isMultiple(of: 2) ? ("odd", "even") : ("even", "odd")
                try await seat.until(hands[team] ?? [])
                #expect(!seat.text.contains("\(other)-card"))
            }
            #expect(await viewers(host) == min(2, seats.count))
        }
    }
}

extension HostStatus {
    fileprivate var problem: String? {
        if case .serving(let serving) = self { serving.problem } else { nil }
    }
}
