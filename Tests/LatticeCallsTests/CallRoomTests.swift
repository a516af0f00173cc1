import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Tests calls that wait until their caller has read other answers.
@Suite(.timeLimit(.minutes(10))) struct CallRoomTests {
    private static var large: CallOutcome {
        CallOutcome.returned([UInt8](repeating: 0, count: 60 << 20))
    }

    private static let small = CallOutcome.returned(nil)

    /// Runs a test with calls of a leaf that run at the hub while the leaf does not read. The calls end after the leaf
    /// reads again and the tasks that `body` returns have ended.
    ///
    /// - Parameter answered: The number of calls with large answers. One answer is in the session, and the others wait.
    private static func withCalls(
        _ count: Int,
        answered: Int,
        _ body: (HoldingHost, [IncomingCall]) async throws -> [Task<Void, any Error>]
    ) async throws {
        try await NodeNet.with { net in
            let (host, leaf) = (HoldingHost(), net.leaves[0])
            net.hub.connect(host)
            let call = OutgoingCall(to: 1, of: net.hub.id, method: "m")
            let calls = (0..<count).map { _ in Task { await leaf.node.ask(call) } }
            try await host.held.until { $0.count == count }
            let (held, large) = (host.held.value, Self.large)
            let tasks = try await withHeld(leaf.session.eventLoop) {
                for call in held.prefix(answered) { call.end(large) }
                return try await body(host, Array(held.dropFirst(answered)))
            }
            for task in tasks { try await task.value }
            for call in held.dropFirst(answered) { call.end(small) }
            for call in calls { _ = await call.value }
        }
    }

    @Test("All streams that wait for room continue when their caller reads, although none of them ends")
    func streams() async throws {
        try await Self.withCalls(23, answered: 3) { _, held in
            held.map { call in
                Task.immediate {
                    let stream = OutgoingStream(call)
                    stream.begin()
                    try await stream.send([1])
                }
            }
        }
    }

    @Test(
        "A process learns when an answer is in the socket, or that its session ended before",
        arguments: [true, false]
    )
    func delivery(reads: Bool) async throws {
        try await NodeNet.with { net in
            let (host, leaf) = (HoldingHost(), net.leaves[0])
            net.hub.connect(host)
            let call = OutgoingCall(to: 1, of: net.hub.id, method: "m")
            let calls = (0..<4).map { _ in Task { await leaf.node.ask(call) } }
            try await host.held.until { $0.count == 4 }
            let held = host.held.value
            let deliveries = Watched<[AnswerDelivery]>([])
            held[0].end(Self.small)
            held[0].write { delivery in deliveries.change { $0.append(delivery) } }
            #expect(deliveries.value == [.written])
            let large = Self.large
            try await withHeld(leaf.session.eventLoop) {
                for number in 1...3 {
                    held[number].end(large)
                    held[number].write { delivery in deliveries.change { $0.append(delivery) } }
                }
                #expect(deliveries.value == [.written])
                if !reads { leaf.hubSession.end(.shuttingDown) }
            }
            let later = [AnswerDelivery](repeating: reads ? .written : .lost, count: 3)
            try await deliveries.until { $0 == [.written] + later }
            for call in calls { _ = await call.value }
        }
    }

    @Test("A wait for room ends when its task is cancelled")
    func cancelled() async throws {
        try await Self.withCalls(4, answered: 3) { _, held in
            #expect(held[0].isBehind)
            let call = held[0]
            let waiting = Task.immediate { await call.untilRoom() }
            waiting.cancel()
            await waiting.value
            return []
        }
    }

    @Test("A stream whose caller does not read fails above 256 MiB, and its producer is cancelled")
    func unread() async throws {
        try await Self.withCalls(6, answered: 5) { host, held in
            let stream = OutgoingStream(held[0])
            stream.begin()
            let sending = Task {
                // It waits for no room.
                withUnsafeCurrentTask { $0?.cancel() }
                try await stream.send([UInt8](repeating: 0, count: 17 << 20))
            }
            try await sending.value
            stream.flush()
            let numbers = Array(host.numbers.value.suffix(1))
            try await host.cancelled.until { $0 == numbers }
            return []
        }
    }

    @Test("A call that is cancelled while it waits to begin ends at once, and does not delay the process's end")
    func heldCall() async throws {
        try await withReactor { reactor in
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let node = ActorNode(isHub: false, title: "worker")
            let (host, recorder) = (HoldingHost(), NodeRecorder(node, peerTitle: "coordinator"))
            node.connect(host)
            let hello = Hello(role: .worker, incarnation: 1, processID: 7, features: [], node: node.id.bytes)
            Session(over: near, as: .initiator(hello), handshakeTimeout: nil, handler: recorder).start()
            var frames: [UInt8] = []
            try Self.welcome(Self.other).appendFrame(to: &frames)
            for number in 1...3 as ClosedRange<UInt64> { try Self.call(number, by: 1, &frames) }
            _ = try frames.withUnsafeBytes { try far.write($0) }
            try await host.held.until { $0.count == 3 }
            let large = Self.large
            for held in host.held.value { held.end(large) }
            frames = []
            try Self.call(4, by: 1, &frames)
            try ActorCancel(call: 4).appendFrame(to: &frames)
            try Self.call(5, by: 2, &frames)
            _ = try frames.withUnsafeBytes { try far.write($0) }
            try await host.held.until { $0.count == 4 }
            #expect(host.numbers.value == [1, 2, 3, 5])
            // The fifth: the fourth has its answer, which waits behind others.
            #expect(node.callsUnderWay.taken == 1)
            host.held.value[3].end(Self.small)
            let idle = Watched(0)
            node.drain { idle.change { $0 += 1 } }
            let end = RawEnd(far)
            let answer = ActorReply(call: 4, code: .cancelled).encoded
            try await end.record.until { record in
                record.bytes.count > 180 << 20 && record.bytes.suffix(answer.count).elementsEqual(answer)
            }
            try await idle.until { $0 > 0 }
            #expect(host.numbers.value == [1, 2, 3, 5])
        }
    }

    @Test("A process that may not pass on calls counts as one caller, whatever it claims")
    func claimedCallers() async throws {
        try await withReactor { reactor in
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let node = ActorNode(isHub: true, title: "coordinator")
            let (host, recorder) = (HoldingHost(), NodeRecorder(node, peerTitle: "worker"))
            node.connect(host)
            let acceptance = Handshake.Acceptance(Self.welcome(node.id.bytes), of: [.worker])
            Session(over: near, as: .acceptor(acceptance), handshakeTimeout: nil, handler: recorder).start()
            var frames: [UInt8] = []
            let hello = Hello(role: .worker, incarnation: 1, processID: 7, features: [], node: Self.other)
            try hello.appendFrame(to: &frames)
            for number in 1...3 as ClosedRange<UInt64> { try Self.call(number, by: 1, &frames) }
            _ = try frames.withUnsafeBytes { try far.write($0) }
            try await host.held.until { $0.count == 3 }
            let large = Self.large
            for held in host.held.value { held.end(large) }
            frames = []
            try Self.call(4, by: 1, &frames)
            try Self.call(5, by: 2, &frames)
            _ = try frames.withUnsafeBytes { try far.write($0) }
            let end = RawEnd(far)
            try await host.held.until { $0.count == 5 }
            #expect(host.numbers.value == [1, 2, 3, 4, 5])
            withExtendedLifetime(end) {}
        }
    }

    private static let other = [UInt8](repeating: 7, count: 16)

    private static func welcome(_ node: [UInt8]) -> Welcome {
        Welcome(role: .coordinator, coordinatorID: 1, processID: 8, features: [], storeID: other, node: node)
    }

    private static func call(_ number: UInt64, by caller: UInt64, _ frames: inout [UInt8]) throws {
        try ActorCall(call: number, actor: 1, method: .named("m"), caller: caller).appendFrame(to: &frames)
    }
}
