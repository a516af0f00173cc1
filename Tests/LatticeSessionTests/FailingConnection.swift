import LatticeConcurrency
import LatticeTransport

/// A connection whose writes fail from a moment on, although the other side is there.
final class FailingConnection: Connection {
    private let base: any Connection
    private let error = Locked<TransportError?>(nil)

    init(_ base: any Connection) {
        self.base = base
    }

    func fail(_ error: TransportError) {
        self.error.withLock { $0 = error }
    }

    var eventLoop: any EventLoop { base.eventLoop }
    var peer: Peer { base.peer }

    func start(handler: any ConnectionHandler) { base.start(handler: handler) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        if let error = error.withLock(\.self) { throw error }
        return try base.write(bytes)
    }

    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        if let error = error.withLock(\.self) { throw error }
        return try base.write(pieces)
    }

    func close() { base.close() }
}
