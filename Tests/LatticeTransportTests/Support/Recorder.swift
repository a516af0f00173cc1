import LatticeTestSupport
import LatticeTransport

/// Records the notifications of a connection, and runs a test's closure for them on the event loop's thread.
final class Recorder: ConnectionHandler {
    struct Record: Sendable {
        var bytes: [UInt8] = []
        var deliveries = 0
        var writable = 0
        var closed = 0
        var error: TransportError?
        var afterClose = 0
        var strayThread = 0
    }

    typealias Action = @Sendable (any Connection, [UInt8]) -> Void

    let record = Watched(Record())
    private let onReceived: Action?

    init(onReceived: Action? = nil) {
        self.onReceived = onReceived
    }

    func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        let copy = Array(bytes)
        note(connection) { record in
            record.bytes += copy
            record.deliveries += 1
        }
        onReceived?(connection, copy)
    }

    func connectionWritable(_ connection: any Connection) {
        note(connection) { $0.writable += 1 }
    }

    func connectionClosed(_ connection: any Connection, error: TransportError?) {
        let isCurrent = connection.eventLoop.isCurrent
        record.change { record in
            record.closed += 1
            record.error = error
            if !isCurrent { record.strayThread += 1 }
        }
    }

    private func note(_ connection: any Connection, _ body: @Sendable (inout Record) -> Void) {
        let isCurrent = connection.eventLoop.isCurrent
        record.change { record in
            if record.closed > 0 { record.afterClose += 1 }
            if !isCurrent { record.strayThread += 1 }
            body(&record)
        }
    }
}
