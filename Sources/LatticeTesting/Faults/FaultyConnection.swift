import LatticeConcurrency
package import LatticeTransport

/// A connection on which things go wrong by plan. But for that it is the one that it wraps.
///
/// It breaks no promise of ``Connection``: what it splits or delays arrives, in order, and what it cuts ends.
package final class FaultyConnection: Connection, ConnectionHandler, @unchecked Sendable {
    // Unchecked: `writing` and `isClosed` are locks; what is below "The loop's thread" is touched there only.

    /// What is held back while reading stands still. With more the stall is over.
    static let maximumHeld = 1 << 20

    private let inner: any Connection
    private let writing: Locked<FaultyWriting>
    /// Whether this side has closed it: nothing is delivered after that.
    private let isClosed = Locked(false)

    // MARK: The loop's thread

    private var handler: (any ConnectionHandler)?
    private var reading: FaultyStream
    private var held: [UInt8] = []
    private var stall: EventLoopTimer?
    /// Whether room came before there was anybody to tell.
    private var owesRoom = false

    package init(_ connection: any Connection, _ plan: FaultPlan) {
        inner = connection
        reading = FaultyStream(plan, .reading)
        writing = Locked(FaultyWriting(plan))
    }

    package var eventLoop: any EventLoop { inner.eventLoop }
    package var peer: Peer { inner.peer }

    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { [self] in
            precondition(self.handler == nil, "A connection has one handler: start it once.")
            self.handler = handler
            inner.start(handler: self)
            if owesRoom { eventLoop.execute { [self] in roomCame() } }
        }
    }

    package func close() {
        isClosed.withLock { $0 = true }
        inner.close()
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let count = pieces.reduce(0) { $0 + $1.count }
        guard count > 0 else { return try inner.write(pieces) }
        switch writing.withLock({ $0.next(count) }) {
        case .refuse:
            return 0
        case .stall(let milliseconds):
            tellRoom(after: milliseconds)
            return 0
        case .cut:
            close()
            // Says what that is for who writes.
            return try inner.write(pieces)
        case .write(let allowed):
            let taken = try allowed == count ? inner.write(pieces) : write(pieces, upTo: allowed)
            let isOurs = writing.withLock { $0.wrote(taken, of: count, allowed: allowed) }
            if isOurs { tellRoom(after: 0) }
            return taken
        }
    }

    /// Writes the first bytes only.
    private func write(
        _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>,
        upTo limit: Int
    ) throws(TransportError) -> Int {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(limit)
        for piece in pieces where bytes.count < limit { bytes += piece.prefix(limit - bytes.count) }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in try inner.write(bytes) }
        }
        return try result.get()
    }

    private func tellRoom(after milliseconds: Int) {
        // First a tick later: never from inside a write.
        eventLoop.execute { [self] in
            guard milliseconds > 0 else { return roomCame() }
            eventLoop.after(milliseconds: Int64(milliseconds)) { [self] in roomCame() }
        }
    }

    private func roomCame() {
        writing.withLock { $0.roomCame() }
        owesRoom = handler == nil
        handler?.connectionWritable(self)
    }

    // MARK: What the wrapped connection tells

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        guard stall != nil else { return deliver(bytes) }
        held += bytes
        if held.count > Self.maximumHeld { endStall() }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start < bytes.count, !isClosed.withLock(\.self) {
            switch reading.next(bytes.count - start) {
            case .move(let count):
                reading.moved(count)
                handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                start += count
            case .stall(let milliseconds):
                held = [UInt8](bytes[start...])
                stall = eventLoop.after(milliseconds: Int64(milliseconds)) { [self] in endStall() }
                return
            case .cut:
                return close()
            }
        }
    }

    private func endStall() {
        guard let stall = stall.take() else { return }
        eventLoop.cancel(stall)
        let bytes = held
        held = []
        bytes.withUnsafeBytes { deliver($0) }
    }

    package func connectionWritable(_ connection: any Connection) {
        // Who waits for room here is told of it here.
        guard writing.withLock(\.passesRoomOn) else { return }
        handler?.connectionWritable(self)
    }

    package func connectionIsHeldUp(_ connection: any Connection) {
        handler?.connectionIsHeldUp(self)
    }

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        // What came before the end is delivered before it.
        while stall != nil { endStall() }
        handler?.connectionClosed(self, error: error)
        handler = nil
    }
}
