package import LatticeTransport
package import LatticeWire

/// The other end of a session without a session of its own. It writes raw bytes and records received bytes.
package final class RawEnd: ConnectionHandler {
    package struct Record: Sendable {
        package var bytes: [UInt8] = []
        package var isClosed = false
    }

    package let record = Watched(Record())
    private let connection: any Connection

    package init(_ connection: any Connection) {
        self.connection = connection
        connection.start(handler: self)
    }

    /// Writes what fits; the tests send little.
    package func write(_ bytes: [UInt8]) throws {
        _ = try bytes.withUnsafeBytes { try connection.write($0) }
    }

    package func write(_ message: some WireMessageBody, on channel: UInt32 = 0) throws {
        var bytes: [UInt8] = []
        try message.appendFrame(to: &bytes, channel: channel)
        try write(bytes)
    }

    /// Returns the frames that arrived until the connection closed.
    package func frames() async throws -> [WrittenFrame] {
        try WrittenFrame.all(in: try await record.until { $0.isClosed }.bytes)
    }

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        let copy = [UInt8](bytes)
        record.change { $0.bytes += copy }
    }

    package func connectionWritable(_ connection: any Connection) {}

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        record.change { $0.isClosed = true }
    }
}
