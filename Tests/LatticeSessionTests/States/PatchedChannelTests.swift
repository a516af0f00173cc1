import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10)))
struct PatchedChannelTests {
    /// All states that there were.
    private let states = Watched<[[UInt8]]>([])

    // MARK: One that starts from what is known here

    @Test("A patch replaces the state, and acknowledges like a state", arguments: [false, true])
    func patchesComeInOrder(one: Bool) async throws {
        try await withReactors { near, far in
            let (client, owner, worker) = (MapClient(on: near), MapOwner(), MapWorker(seed: 1, states: states))
            let channel = owner.makeChannel(in: client.channels, restoresState: true, deliversEveryState: one)
            client.connect(to: worker, on: far, Handshakes.acceptance())
            for count in 1...5 {
                channel.sendChange()
                try await owner.record.until { $0.ended == count }
            }
            let record = owner.record.value
            #expect(record.snapshots == 1)
            #expect(record.patches == 5)
            #expect(record.acknowledged == 5)
            #expect(record.shown == states.value)
        }
    }

    @Test("A client that did not read gets everything that it missed at once")
    func aSlowReaderIsSentEverythingAtOnce() async throws {
        try await withReactors { near, far in
            let (client, owner, worker) = (MapClient(on: near), MapOwner(), MapWorker(seed: 2, states: states))
            let channel = owner.makeChannel(in: client.channels, restoresState: true, deliversEveryState: true)
            client.connect(to: worker, on: far, Handshakes.acceptance(), capacity: 1_000)
            try await owner.record.until { $0.opened == 1 }
            try await withHeld(near) {
                for count in 1...200 {
                    worker.change()
                    try await states.until { $0.count > count }
                }
            }
            channel.sendChange()
            try await owner.record.until { $0.ended == 1 }
            let record = owner.record.value
            // Some went out before there was no room, and the rest as one.
            #expect(record.patches > 1)
            #expect(record.patches + record.snapshots < 150)
            #expect(record.shown.last == states.value.last)
            #expect(areShownInOrder(record.shown, of: states.value))
        }
    }

    @Test(
        "The next worker starts from the state with all changes",
        arguments: [false, true]
    )
    func aNewWorkerStartsFromTheChangedState(encodes: Bool) async throws {
        try await withReactors { near, far in
            let (client, owner) = (MapClient(on: near), MapOwner(encodes: encodes))
            let channel = owner.makeChannel(in: client.channels, restoresState: true)
            for incarnation in 1...4 {
                let worker = MapWorker(seed: UInt64(incarnation), states: states)
                client.connect(to: worker, on: far, Handshakes.acceptance())
                try await owner.record.until { $0.opened == incarnation }
                for _ in 0..<10 { channel.sendChange() }
                try await owner.record.until { $0.ended == 10 * incarnation }
                #expect(owner.state == states.value.last)
                await client.disconnect(interruptedBy: .killed)
            }
            #expect(owner.record.value.snapshots == 1)
            #expect(areShownInOrder(owner.record.value.shown, of: states.value))
        }
    }

    @Test("Outcomes whose state could not be decoded wait for the whole state")
    func endsWaitForTheWholeState() async throws {
        try await withReactors { near, far in
            let (client, owner, worker) = (MapClient(on: near), MapOwner(), MapWorker(seed: 3, states: states))
            let channel = owner.makeChannel(in: client.channels, restoresState: true)
            client.connect(to: worker, on: far, Handshakes.acceptance())
            channel.sendChange()
            try await owner.record.until { $0.ended == 1 }
            owner.record.change { $0.failsNext = true }
            channel.sendChange()
            try await owner.record.until { $0.ended == 2 }
            let later = owner.record.value.history.drop { $0 != "1 ended, 1 whole, 1 acknowledged" }
            #expect(Set(later) == ["1 ended, 1 whole, 1 acknowledged", "2 ended, 2 whole, 2 acknowledged"])
            #expect(owner.state == states.value.last)
            channel.sendChange()
            try await owner.record.until { $0.ended == 3 }
            #expect(owner.record.value.snapshots == 2)
            #expect(owner.record.value.resyncs == 1)
        }
    }

    @Test("A worker that dies before the whole state arrived is followed by one that starts from the patched bytes")
    func aLostStateIsMadeOfBytes() async throws {
        try await withLiar { client, session, said, owner in
            var state = ChangingMap()
            let patch = PatchMessage(base: 1, revision: 2, applied: 1, changes: state.set(1, to: 5))
            owner.record.change { $0.failsNext = true }
            owner.channel.value?.sendChange()
            session.send { queue in
                queue.addData(patch, on: 1)
                queue.addCompletion(1, revision: 2, outcome: .finished, on: 1)
            }
            try await said.record.until { $0.messages.contains { $0.kind == .resync } }
            await client.disconnect(interruptedBy: .killed)
            #expect(owner.record.value.ended == 0)
            let worker = MapWorker(seed: 5, states: states)
            client.connect(to: worker, on: session.eventLoop, Handshakes.acceptance())
            try await owner.record.until { $0.ended == 1 }
            #expect(owner.state == state.encoded)
            owner.channel.value?.sendChange()
            try await owner.record.until { $0.ended == 2 }
            #expect(owner.state == states.value.last)
        }
    }

    // MARK: A server that does not keep to it

    @Test("A patch for another state is dropped, and the whole state is requested once")
    func aPatchOfAnotherStateIsDropped() async throws {
        try await withLiar { _, session, said, owner in
            let change = { (number: UInt8) in [0x82, 1, 0xa1, 0x63, 0x6b, 0x30, 0x31, 0x82, 0, number] }
            session.send { queue in
                queue.addData(PatchMessage(base: 1, revision: 2, applied: 0, changes: change(1)), on: 1)
                queue.addData(PatchMessage(base: 3, revision: 4, applied: 0, changes: change(2)), on: 1)
                queue.addData(PatchMessage(base: 4, revision: 5, applied: 0, changes: change(3)), on: 1)
            }
            var state = ChangingMap()
            _ = state.set(1, to: 1)
            let made = state.encoded
            try await owner.record.until { $0.shown.last == made }
            _ = state.set(1, to: 3)
            let whole = state.encoded
            let asked = try await said.record.until { $0.messages.contains { $0.kind == .resync } }
            session.send { queue in
                queue.addState(whole, revision: 5, applied: 0, on: 1)
                queue.addData(PatchMessage(base: 5, revision: 6, applied: 0, changes: change(4)), on: 1)
            }
            _ = state.set(1, to: 4)
            let last = state.encoded
            try await owner.record.until { $0.shown.last == last }
            let messages = said.record.value.messages.filter { $0.kind == .resync }
            #expect(try messages.map { try ResyncMessage(decoding: $0.body) } == [ResyncMessage(revision: 2)])
            #expect(asked.error == nil)
            #expect(!owner.record.value.shown.contains { $0.isEmpty })
        }
    }

    @Test("A change that cannot be applied is not shown, and the whole state is requested from the last good one")
    func aChangeThatCannotBeMadeIsNotShown() async throws {
        try await withLiar { _, session, said, owner in
            // A change of an array.
            let change: [UInt8] = [0x82, 2, 0x81, 0x83, 0, 0, 1]
            session.send { $0.addData(PatchMessage(base: 1, revision: 2, applied: 0, changes: change), on: 1) }
            let record = try await said.record.until { $0.messages.contains { $0.kind == .resync } }
            let asked = record.messages.filter { $0.kind == .resync }
            #expect(try asked.map { try ResyncMessage(decoding: $0.body) } == [ResyncMessage(revision: 1)])
            let state = ChangingMap(count: 9).encoded
            session.send { $0.addState(state, revision: 2, applied: 0, on: 1) }
            try await owner.record.until { $0.shown.last == state }
            #expect(owner.record.value.shown.count == 2)
        }
    }

    @Test("A peer that claims a state to be known that is not has its session ended")
    func aStateThatIsNotKnownIsAViolation() async throws {
        try await SessionPair.with(.memory) { pair in
            let channels = ClientChannels(eventLoop: pair.acceptor.eventLoop, as: .acceptor)
            let channel = MapOwner().makeChannel(in: channels, restoresState: false)
            let opened = Opened(revision: 3, applied: 0, state: [], record: 1)
            pair.acceptor.eventLoop.execute { pair.acceptor.attach(channel, as: 1) }
            pair.initiator.send { $0.addData(opened, on: 1) }
            let error = try await pair.accepted.record.until { $0.closed > 0 }.error
            #expect(error?.code == .violation)
            #expect(error?.message.contains("has state 3, but its newest state is 0.") == true)
        }
    }

    // MARK: One that is there for many

    @Test(
        "A client that reconnects gets the missed changes, or the whole state if those are no longer kept",
        arguments: [(missed: 0, snapshots: 1), (1, 1), (8, 1), (9, 2), (40, 2)]
    )
    func whoComesBackGetsWhatWasMissed(missed: Int, snapshots: Int) async throws {
        var limits = ChannelLimits()
        limits.maximumChanges = 8
        try await withReactors { near, far in
            let sharer = MapSharer(seed: 9, limits: limits, states: states, on: far)
            let (client, owner) = (MapClient(on: near), MapOwner())
            let acceptance = Handshakes.acceptance()
            _ = owner.makeChannel(in: client.channels, restoresState: false)
            client.connect(to: sharer, on: far, acceptance)
            try await owner.record.until { $0.opened == 1 }
            sharer.change()
            try await owner.record.until { $0.patches == 1 }
            await client.disconnect()
            for _ in 0..<missed { sharer.change() }
            client.connect(to: sharer, on: far, acceptance)
            let state = sharer.state
            try await owner.record.until { $0.opened == 2 && $0.shown.last == state }
            #expect(owner.record.value.snapshots == snapshots)
            #expect(owner.record.value.patches == (snapshots == 1 && missed > 0 ? 2 : 1))
        }
    }

    @Test("A channel sends no frame of another source, even if it is for the same revisions")
    func framesOfAnotherSource() async throws {
        try await withReactors { near, far in
            let sharer = MapSharer(seed: 8, limits: ChannelLimits(), states: states, on: far)
            let other = MapSharer(seed: 7, limits: ChannelLimits(), states: Watched([]), on: far)
            let (client, owner) = (MapClient(on: near), MapOwner())
            _ = owner.makeChannel(in: client.channels, restoresState: false)
            client.connect(to: sharer, on: far, Handshakes.acceptance())
            try await owner.record.until { $0.opened == 1 }
            for _ in 0..<5 {
                other.change()
                sharer.change(withFramesOf: other)
                let state = sharer.state
                try await owner.record.until { $0.shown.last == state }
            }
            #expect(owner.record.value.patches == 5)
            #expect(owner.record.value.shown.allSatisfy(states.value.contains))
        }
    }

    @Test("A client that has a state of an earlier source gets the state of the new one as a whole")
    func stateOfAnEarlierSource() async throws {
        try await withReactors { near, far in
            let first = MapSharer(seed: 8, limits: ChannelLimits(), states: states, on: far)
            let other = MapSharer(seed: 7, limits: ChannelLimits(), states: Watched([]), on: far)
            for _ in 0..<3 { first.change() }
            for _ in 0..<10 { other.change() }
            let old = try await opened(by: first, near, far, knowing: 0)
            first.shown.change { $0 = other }
            // This answer is lost, so the client has the revision of the first source as before.
            let lost = try await opened(by: first, near, far, knowing: old.revision)
            let new = try await opened(by: first, near, far, knowing: old.revision)
            #expect(lost.state == other.state && new.state == other.state && new.revision == lost.revision)
        }
    }

    /// Opens a channel in a session of its own, with a revision that the client says it has, and returns the answer.
    private func opened(
        by sharer: MapSharer,
        _ near: any EventLoop,
        _ far: any EventLoop,
        knowing revision: UInt64
    ) async throws -> Opened {
        let (one, two) = MemoryConnection.pair(eventLoop: near, other: far)
        Session(over: two, as: .acceptor(Handshakes.acceptance()), handshakeTimeout: nil, handler: sharer).start()
        let end = RawEnd(one)
        try end.write(Handshakes.hello())
        try end.write(Open(feature: "f", schema: 1, revision: revision, record: 1, takesPatches: true), on: 1)
        @Sendable func answer(_ bytes: [UInt8]) -> Opened? {
            let frame = try? WrittenFrame.all(in: bytes).first { $0.kind == .opened }
            return frame.flatMap { try? Opened(decoding: $0.body) }
        }
        let bytes = try await end.record.until { answer($0.bytes) != nil }.bytes
        near.execute { one.close() }
        return try #require(answer(bytes))
    }

    @Test("A client that takes no patches gets whole states, beside others that take patches")
    func whoTakesNoPatchesGetsStates() async throws {
        try await withReactors { near, far in
            let sharer = MapSharer(seed: 8, limits: ChannelLimits(), states: states, on: far)
            let clients = [true, false].map { takes in
                let (client, owner) = (MapClient(on: near), MapOwner())
                // The number of a channel names it here, so the second client has another one.
                if !takes {
                    client.channels.remove(MapOwner().makeChannel(in: client.channels, restoresState: false))
                }
                _ = owner.makeChannel(in: client.channels, restoresState: false, takesPatches: takes)
                return (client: client, owner: owner)
            }
            for (client, _) in clients { client.connect(to: sharer, on: far, Handshakes.acceptance()) }
            for (_, owner) in clients { try await owner.record.until { $0.opened == 1 } }
            for _ in 0..<5 {
                sharer.change()
                let state = sharer.state
                for (_, owner) in clients { try await owner.record.until { $0.shown.last == state } }
            }
            #expect(clients.map(\.owner.record.value.patches) == [5, 0])
            #expect(clients.map(\.owner.record.value.snapshots) == [1, 6])
        }
    }

    @Test("A client with a state of another store starts from the whole state")
    func anotherStoreSendsTheWholeState() async throws {
        try await withReactors { near, far in
            let (client, owner) = (MapClient(on: near), MapOwner())
            _ = owner.makeChannel(in: client.channels, restoresState: false)
            for number in 1...2 {
                let sharer = MapSharer(seed: UInt64(number), limits: ChannelLimits(), states: states, on: far)
                client.connect(to: sharer, on: far, Handshakes.acceptance())
                try await owner.record.until { $0.opened == number }
                sharer.change()
                let state = sharer.state
                try await owner.record.until { $0.shown.last == state }
                await client.disconnect()
            }
            #expect(owner.record.value.snapshots == 2)
        }
    }

    @Test(
        "Clients that join, leave and read at random end with the state, and never show a wrong one",
        arguments: 1...12
    )
    func everybodyEndsWithTheState(seed: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var limits = ChannelLimits()
        limits.maximumChanges = [4, 64, 1024][seed % 3]
        try await withReactors { near, far in
            let sharer = MapSharer(seed: UInt64(seed) + 100, limits: limits, states: states, on: far)
            let acceptance = Handshakes.acceptance()
            let clients = (0..<4).map { _ in (client: MapClient(on: near), owner: MapOwner()) }
            // The number of a channel names it here, so each has another one.
            for (index, (client, owner)) in clients.enumerated() {
                for _ in 0..<index {
                    client.channels.remove(MapOwner().makeChannel(in: client.channels, restoresState: false))
                }
                _ = owner.makeChannel(in: client.channels, restoresState: false)
            }
            var connected: Set<Int> = []
            for _ in 0..<60 {
                let index = Int.random(in: clients.indices, using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0:
                    await clients[index].client.disconnect()
                    connected.remove(index)
                case 1...2:
                    guard connected.insert(index).inserted else { break }
                    clients[index].client.connect(to: sharer, on: far, acceptance, capacity: 300)
                case 3:
                    clients[index].owner.record.change { $0.failsNext = true }
                case 4:
                    try await withHeld(near) { for _ in 0..<20 { sharer.change() } }
                case 5:
                    await near.endOfTick()
                default:
                    sharer.change()
                }
            }
            for (index, (client, _)) in clients.enumerated() where !connected.contains(index) {
                client.connect(to: sharer, on: far, acceptance)
            }
            let state = sharer.state
            for (_, owner) in clients {
                let record = try await owner.record.until { $0.shown.last == state }
                #expect(areShownInOrder(record.shown, of: states.value))
            }
        }
    }

    // MARK: Support

    private func withReactors(_ body: (Reactor, Reactor) async throws -> Void) async throws {
        try await withReactor { near in try await withReactor { far in try await body(near, far) } }
    }

    /// Runs a test with a server that says what the test wants, of a state 1 with 40 entries.
    private func withLiar(
        _ body: (MapClient, Session, SessionRecorder, MapOwner) async throws -> Void
    ) async throws {
        try await withReactors { near, far in
            let (client, owner, said) = (MapClient(on: near), MapOwner(), SessionRecorder())
            _ = owner.makeChannel(in: client.channels, restoresState: true)
            let server = client.connect(to: said, on: far, Handshakes.acceptance())
            try await said.record.until { $0.messages.contains { $0.kind == .open } }
            server.send { $0.addData(Opened(revision: 1, applied: 0, state: ChangingMap().encoded), on: 1) }
            try await owner.record.until { $0.shown.count == 1 }
            try await body(client, server, said, owner)
        }
    }
}
