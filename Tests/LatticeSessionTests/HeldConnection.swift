import Dispatch
import LatticeConcurrency
import LatticeTestSupport
import LatticeTransport

/// A connection that holds one thread in a write.
final class HeldConnection: Connection {
    private let base: any Connection
    private let holdsNext = Locked(false)
    private let isOver = DispatchSemaphore(value: 0)
    /// Whether a thread is held.
    let isHeld = Watched(false)

    init(_ base: any Connection) {
        self.base = base
    }

    /// Holds the thread that writes next, until `release`.
    func hold() {
        holdsNext.withLock { $0 = true }
    }

    func release() {
        isOver.signal()
    }

    var eventLoop: any EventLoop { base.eventLoop }
    var peer: Peer { base.peer }

    func start(handler: any ConnectionHandler) { base.start(handler: handler) }

    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let holds = holdsNext.withLock { holds in
            defer { holds = false }
            return holds
        }
        if holds {
            isHeld.change { $0 = true }
            isOver.wait()
        }
        return try base.write(pieces)
    }

    func close() { base.close() }
}
