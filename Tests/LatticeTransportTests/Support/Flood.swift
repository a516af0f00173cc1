import LatticeTestSupport
import LatticeTransport

/// Writes without end, until the connection closes.
final class Flood: ConnectionHandler {
    let sent = Watched(0)
    private let chunk = [UInt8](repeating: 3, count: 64 * 1024)

    func connectionWritable(_ connection: any Connection) {
        while let taken = try? connection.write(chunk) {
            sent.change { $0 += taken }
            if taken < chunk.count { return }
        }
    }

    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {}
    func connectionClosed(_ connection: any Connection, error: TransportError?) {}
}
