package import LatticeTransport

/// A connection that records the bytes that arrive on it, before its handler receives them.
package final class TappedConnection: Connection, ConnectionHandler {
    private let base: any Connection
    private let received: Watched<[UInt8]>
    private let handler = Watched<(any ConnectionHandler)?>(nil)

    /// Creates a connection over another one.
    ///
    /// - Parameter received: Receives the bytes.
    package init(over base: any Connection, received: Watched<[UInt8]>) {
        self.base = base
        self.received = received
    }

    package var eventLoop: any EventLoop { base.eventLoop }
    package var peer: Peer { base.peer }

    package func start(handler: any ConnectionHandler) {
        self.handler.change { $0 = handler }
        base.start(handler: self)
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        try base.write(pieces)
    }

    package func close() { base.close() }

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        received.change { $0 += copy }
        handler.value?.connection(self, received: bytes)
    }

    package func connectionWritable(_ connection: any Connection) { handler.value?.connectionWritable(self) }

    package func connectionIsHeldUp(_ connection: any Connection) { handler.value?.connectionIsHeldUp(self) }

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        handler.value?.connectionClosed(self, error: error)
        handler.change { $0 = nil }
    }
}
