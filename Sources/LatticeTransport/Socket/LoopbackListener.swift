import CLatticeSystem
import LatticeConcurrency
import Synchronization

/// Serves at a TCP port of 127.0.0.1: each process of this machine that connects becomes a connection.
///
/// Every user of the machine can connect, and the system does not tell which process does. Serve nothing here that
/// other users must not read.
package final class LoopbackListener: Registrant, @unchecked Sendable {
    // Unchecked: `isOpen` is atomic. Everything under "The event loop's thread" belongs to that thread, which alone
    // closes the descriptor.

    private static let pauseMilliseconds: Int64 = 100
    /// The maximum number of connections that one tick accepts.
    private static let acceptedPerTick = 8

    /// The port, which the system has chosen if the listener was created with port 0.
    package let port: UInt16
    private let reactor: Reactor
    private let onConnection: @Sendable (SocketConnection, UInt16) -> Void
    private let isOpen = Atomic(true)

    // MARK: The event loop's thread

    private let socket: OwnedDescriptor
    private var registration: Registration?
    private var watching: Readiness = []

    /// Serves at a port until `close`, even if no reference to the listener is left.
    ///
    /// - Parameters:
    ///   - port: The port, or 0 for any free one.
    ///   - reactor: The event loop of the listener and its connections.
    ///   - onConnection: Called on the event loop's thread with a connection that is not started yet, and the port.
    /// - Throws: `.system` if the port is taken or not permitted.
    package init(
        port: UInt16,
        reactor: Reactor,
        onConnection: @escaping @Sendable (SocketConnection, UInt16) -> Void
    ) throws(TransportError) {
        var bound: UInt16 = 0
        let made = lattice_listen_loopback(port, 16, &bound)
        guard made >= 0 else { throw .system("listen at port \(port) of 127.0.0.1", lattice_errno()) }
        socket = OwnedDescriptor(made)
        self.port = bound
        self.reactor = reactor
        self.onConnection = onConnection
        reactor.perform { self.begin() }
    }

    /// Stops accepting. Connections continue. It can be called on any thread and more than once.
    package func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        reactor.execute { self.finish() }
    }

    package func eventLoopStops() {
        close()
    }

    package func ready(_ readiness: Readiness) {
        for _ in 0..<Self.acceptedPerTick where isOpen.load(ordering: .acquiring) {
            switch System.accept(socket.number) {
            case .accepted(let descriptor):
                onConnection(SocketConnection(prepared: descriptor, peer: .unknown, reactor: reactor), port)
            case .abandoned: continue
            case .noConnection: return
            case .failed:
                // The process has no more descriptors. The socket stays readable, so an immediate retry would spin.
                watch([])
                return retryLater()
            }
        }
    }

    private func begin() {
        guard isOpen.load(ordering: .acquiring) else { return }
        registration = reactor.register(self)
        watch(.readable)
    }

    private func finish() {
        if let registration {
            watch([])
            reactor.deregister(registration)
        }
        socket.close()
    }

    private func watch(_ interest: Readiness) {
        guard let registration, interest != watching else { return }
        if reactor.watch(socket.number, registration, from: watching, to: interest) == 0 {
            watching = interest
        } else if !interest.isEmpty {
            retryLater()
        }
    }

    private func retryLater() {
        reactor.after(milliseconds: Self.pauseMilliseconds) { [weak self] in
            guard let self, self.isOpen.load(ordering: .acquiring) else { return }
            self.watch(.readable)
        }
    }
}
