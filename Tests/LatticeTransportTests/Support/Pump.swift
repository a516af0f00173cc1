import LatticeTestSupport
import LatticeTransport

/// Writes all of its bytes as fast as the connection accepts them, and optionally closes afterwards.
final class Pump: ConnectionHandler {
    struct Progress: Sendable {
        var sent = 0
        var partialWrites = 0
        var closed = 0
        var failure: TransportError?
    }

    let progress = Watched(Progress())
    private let bytes: [UInt8]
    private let chunk: Int
    private let style: WriteStyle
    private let closesAtEnd: Bool

    init(_ bytes: [UInt8], chunk: Int = 64 * 1024, style: WriteStyle = .whole, closesAtEnd: Bool = false) {
        self.bytes = bytes
        self.chunk = chunk
        self.style = style
        self.closesAtEnd = closesAtEnd
    }

    /// Starts the connection and writes on its event loop's thread.
    func run(over connection: any Connection) {
        connection.start(handler: self)
        connection.eventLoop.execute { self.connectionWritable(connection) }
    }

    func connectionWritable(_ connection: any Connection) {
        var sent = progress.value.sent
        do throws(TransportError) {
            while sent < bytes.count {
                let part = bytes[sent..<min(sent + chunk, bytes.count)]
                let taken = try connection.write(part, style)
                sent += taken
                if taken < part.count { return note(sent: sent, isPartial: true) }
            }
            note(sent: sent, isPartial: false)
            if closesAtEnd { connection.close() }
        } catch {
            progress.change { $0.failure = error }
        }
    }

    private func note(sent: Int, isPartial: Bool) {
        progress.change { progress in
            progress.sent = sent
            if isPartial { progress.partialWrites += 1 }
        }
    }

    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {}

    func connectionClosed(_ connection: any Connection, error: TransportError?) {
        progress.change { $0.closed += 1 }
    }
}

extension Connection {
    /// Writes until nothing more is taken, `limit` bytes at most.
    func fill(upTo limit: Int, _ style: WriteStyle = .whole) throws(TransportError) -> Int {
        let chunk = [UInt8](repeating: 7, count: 16 * 1024)
        var total = 0
        while total < limit {
            let taken = try write(chunk, style)
            total += taken
            if taken < chunk.count { break }
        }
        return total
    }
}
