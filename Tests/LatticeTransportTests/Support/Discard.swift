import LatticeTransport

/// Reads and forgets.
final class Discard: ConnectionHandler {
    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {}
    func connectionWritable(_ connection: any Connection) {}
    func connectionClosed(_ connection: any Connection, error: TransportError?) {}
}
