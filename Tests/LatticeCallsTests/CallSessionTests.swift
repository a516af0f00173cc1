import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct CallSessionTests {
    @Test("A call that finds no room in its tick waits, and blocks nothing")
    func noRoom() async throws {
        try await NodeNet.with { net in
            let leaf = net.leaves[0]
            let ended = OneShot<CallOutcome>()
            leaf.session.eventLoop.execute {
                // More than may wait beside a call, in the tick in which that is made.
                leaf.session.append { queue in
                    for _ in 0..<17 {
                        queue.addData(.event, on: 1, body: [UInt8](repeating: 0, count: 1 << 20))
                    }
                }
                let call = OutgoingCall(to: 9, of: net.hub.id, method: "m")
                Task.immediate { ended.complete(await leaf.node.ask(call)) }
            }
            // The channel of the events was never opened, so the session ends, and the call ends with it.
            let reply = try await ended.value
            #expect(reply.code == .lost)
        }
    }

    @Test("Calls whose arguments together are too large are refused until some calls have ended")
    func arguments() async throws {
        try await NodeNet.with { net in
            let host = HoldingHost()
            net.leaves[0].node.connect(host)
            let call = OutgoingCall(
                to: 1,
                of: net.leaves[0].node.id,
                method: "m",
                arguments: [UInt8](repeating: 0, count: 60 << 20)
            )
            let calls = (0..<2).map { _ in Task { await net.hub.ask(call) } }
            try await host.held.until { $0.count == 2 }
            let refused = await net.hub.ask(call)
            #expect(refused.code == .overloaded && refused.failure?.mayHaveBegun == false)
            for held in host.held.value { held.end(CallOutcome.returned(nil)) }
            for call in calls {
                let reply = await call.value
                #expect(reply.code == .returned)
            }
            let next = Task { await net.hub.ask(call) }
            try await host.held.until { $0.count == 3 }
            host.held.value[2].end(CallOutcome.returned(nil))
            let reply = await next.value
            #expect(reply.code == .returned)
        }
    }

    @Test("Answers that wait for room are sent before the goodbye of a session that ends in order")
    func goodbye() async throws {
        try await NodeNet.with { net in
            let (host, leaf) = (HoldingHost(), net.leaves[0])
            net.hub.connect(host)
            let call = OutgoingCall(to: 1, of: net.hub.id, method: "m")
            let calls = (0..<40).map { _ in Task { await leaf.node.ask(call) } }
            try await host.held.until { $0.count == 40 }
            let value = [UInt8](repeating: 0, count: 1 << 18)
            try await withHeld(leaf.session.eventLoop) {
                for held in host.held.value { held.end(CallOutcome.returned(value)) }
                leaf.hubSession.end(.shuttingDown)
            }
            for call in calls {
                let reply = await call.value
                #expect(reply == .returned(value))
            }
        }
    }

    @Test("A caller that does not read has up to 256 MiB of answers kept, and further answers fail")
    func unread() async throws {
        try await NodeNet.with { net in
            let (host, leaf) = (HoldingHost(), net.leaves[0])
            net.hub.connect(host)
            let call = OutgoingCall(to: 1, of: net.hub.id, method: "m")
            let calls = (0..<6).map { _ in Task { await leaf.node.ask(call) } }
            try await host.held.until { $0.count == 6 }
            try await withHeld(leaf.session.eventLoop) {
                let value = [UInt8](repeating: 0, count: 60 << 20)
                for held in host.held.value { held.end(CallOutcome.returned(value)) }
            }
            var codes: [ReplyCode] = []
            for call in calls {
                let reply = await call.value
                codes.append(reply.code)
                #expect((reply.code == .overloaded) == (reply.failure?.mayHaveBegun == true))
            }
            // One is in the session, and four wait for it.
            #expect(codes.count { $0 == .returned } == 5)
            #expect(codes.count { $0 == .overloaded } == 1)
            let next = Task { await leaf.node.ask(call) }
            try await host.held.until { $0.count == 7 }
            host.held.value[6].end(CallOutcome.returned(nil))
            let reply = await next.value
            #expect(reply.code == .returned)
        }
    }

    @Test("Calls of a caller with too many unread answers wait, and calls of other callers do not")
    func waitingCalls() async throws {
        try await withReactor { reactor in
            let (near, far) = MemoryConnection.pair(eventLoop: reactor)
            let node = ActorNode(isHub: false, title: "worker")
            let (host, recorder) = (HoldingHost(), NodeRecorder(node, peerTitle: "coordinator"))
            node.connect(host)
            let hello = Hello(role: .worker, incarnation: 1, processID: 7, features: [], node: node.id.bytes)
            Session(over: near, as: .initiator(hello), handshakeTimeout: nil, handler: recorder).start()
            // It reads nothing before it has a handler.
            let memory = [UInt8](repeating: 7, count: 16)
            var frames: [UInt8] = []
            let welcome = Welcome(
                role: .coordinator,
                coordinatorID: 1,
                processID: 8,
                features: [],
                storeID: memory,
                node: memory
            )
            try welcome.appendFrame(to: &frames)
            func call(_ number: UInt64, by caller: UInt64) throws {
                try ActorCall(call: number, actor: 1, method: .named("m"), caller: caller).appendFrame(to: &frames)
            }
            for number in 1...3 as ClosedRange<UInt64> { try call(number, by: 1) }
            _ = try frames.withUnsafeBytes { try far.write($0) }
            try await host.held.until { $0.count == 3 }
            let value = [UInt8](repeating: 0, count: 33 << 20)
            for held in host.held.value { held.end(CallOutcome.returned(value)) }
            frames = []
            try call(4, by: 1)
            try call(5, by: 2)
            _ = try frames.withUnsafeBytes { try far.write($0) }
            // The fourth has not begun.
            try await host.held.until { $0.count == 4 }
            #expect(host.numbers.value == [1, 2, 3, 5])
            host.held.value[3].end(CallOutcome.returned([1]))
            let end = RawEnd(far)
            try await host.held.until { $0.count == 5 }
            host.held.value[4].end(CallOutcome.returned([2]))
            // The second caller's answer comes after the answer in flight and one more, and before the third.
            let last = try await end.record.until { $0.bytes.count > 99 << 20 && $0.bytes.last == 2 }
            let replies = try WrittenFrame.all(in: last.bytes).filter { $0.kind == .actorReply }
            let second = ActorReply(call: 5, code: .returned, value: [1]).encoded
            let place = try #require(replies.firstIndex { $0.body == second })
            #expect(place < replies.count * 3 / 4)
        }
    }

    @Test("Questions end when their process gives up on its coordinator, both in flight and later ones")
    func questions() async throws {
        try await NodeNet.with([.client]) { net in
            let leaf = net.leaves[0]
            leaf.session.connection.close()
            try await leaf.ended.until { $0 != nil }
            let waiting = Task.immediate { await leaf.node.ask([1], on: 1, CallContext()) }
            leaf.node.loseHub(because: "it is gone")
            let first = await waiting.value
            let later = await leaf.node.ask([1], on: 1, CallContext())
            for outcome in [first, later] { #expect(outcome == .failure(.refused, "it is gone")) }
        }
    }
}
