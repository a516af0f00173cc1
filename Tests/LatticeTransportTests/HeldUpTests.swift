import LatticeTestSupport
import LatticeTransport
import Testing

/// Tests the notifications of connections while a large value blocks their reactor.
@Suite(.timeLimit(.minutes(10))) struct HeldUpTests {
    private final class Listener: ConnectionHandler {
        let heldUp = Watched(0)

        func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {}
        func connectionWritable(_ connection: any Connection) {}
        func connectionClosed(_ connection: any Connection, error: TransportError?) {}
        func connectionIsHeldUp(_ connection: any Connection) { heldUp.change { $0 += 1 } }
    }

    @Test(
        "Connections of a blocked reactor may send a sign of life each time",
        arguments: ["memory", "socket"]
    )
    func connectionsHear(link: String) async throws {
        try await withReactor { reactor in
            let (one, other) = try link == "memory" ? Self.memory(reactor) : Self.sockets(reactor)
            let listeners = (Listener(), Listener())
            one.start(handler: listeners.0)
            other.start(handler: listeners.1)
            await reactor.endOfTick()
            // No sign is given for ended turns, or from a thread that blocks no connection.
            for _ in 0..<3 {
                reactor.execute { reactor.workGoesOn() }
                await reactor.endOfTick()
                reactor.workGoesOn()
            }
            #expect(listeners.0.heldUp.value == 0)
            reactor.execute { Self.hold(reactor, until: listeners.0, hears: 3) }
            try await listeners.1.heldUp.until { $0 == 3 }
            await reactor.endOfTick()
            reactor.execute {
                one.close()
                Self.hold(reactor, until: listeners.1, hears: 4)
            }
            try await listeners.1.heldUp.until { $0 == 4 }
            #expect(listeners.0.heldUp.value == 3)
        }
    }

    /// Blocks the reactor until the listener was notified `count` times. The wait has a limit, so that a failing test
    /// ends.
    private static func hold(_ reactor: Reactor, until listener: Listener, hears count: Int) {
        let end = ContinuousClock.now + .seconds(60)
        while listener.heldUp.value < count, ContinuousClock.now < end { reactor.workGoesOn() }
    }

    private static func memory(_ reactor: Reactor) -> (any Connection, any Connection) {
        MemoryConnection.pair(eventLoop: reactor, other: reactor)
    }

    private static func sockets(_ reactor: Reactor) throws -> (any Connection, any Connection) {
        let (one, remote) = try SocketConnection.pair(reactor: reactor)
        let other = try SocketConnection(adopting: remote, reactor: reactor)
        return (one, other)
    }
}
