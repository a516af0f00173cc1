import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(3))) struct CallLinkTests {
    @Test("a call that finds no room in its tick waits, and holds up nothing")
    func noRoom() async throws {
        try await NodeNet.with { net in
            let leaf = net.leaves[0]
            let ended = OneShot<ActorReply>()
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
            // Nobody has opened the channel of the events, so the session ends, and with it the call.
            let reply = try await ended.value
            #expect(reply.code == .lost)
        }
    }

    @Test("calls whose arguments are too much together are refused, until some have ended")
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
            #expect(refused.code == .overloaded && !refused.mayHaveBegun)
            for held in host.held.value { held.end(ActorReply(call: 0, code: .returned)) }
            for call in calls {
                let reply = await call.value
                #expect(reply.code == .returned)
            }
            let next = Task { await net.hub.ask(call) }
            try await host.held.until { $0.count == 3 }
            host.held.value[2].end(ActorReply(call: 0, code: .returned))
            let reply = await next.value
            #expect(reply.code == .returned)
        }
    }
}

/// Holds each call until a test ends it.
private final class HoldingHost: CallHost {
    private final class Run: RunningCall {
        func cancel() {}
    }

    let held = Watched<[IncomingCall]>([])

    func begin(_ call: ActorCall, _ terms: CallTerms, _ answer: IncomingCall) -> (any RunningCall)? {
        held.change { $0.append(answer) }
        return Run()
    }

    func hasActor(_ number: UInt64) -> Bool { true }
    func methods(of number: UInt64) -> StableMethodList? { StableMethodList(methods: []) }
    func nodeEnded() {}
}
