import LatticeConcurrency
import LatticeSession
package import LatticeTransport

/// A connection with the faults of a plan. Apart from them, it behaves like the connection that it wraps.
///
/// It keeps the guarantees of ``Connection``: bytes that are split or delayed arrive in order, and a connection that is
/// cut ends.
package final class FaultyConnection: Connection, ConnectionHandler, @unchecked Sendable {
    // Unchecked: `writing` and `isClosed` are locks. The properties below "The loop's thread" are only used there.

    /// The maximum number of bytes that are held back during a stall of reading. Further bytes end the stall.
    static let maximumHeld = 1 << 20

    private let inner: any Connection
    private let record: FaultRecord?
    private let process: FaultyProcess?
    private let writing: Locked<FaultyWriting>
    /// A Boolean value that indicates whether this side has closed the connection. No bytes are delivered after that.
    private let isClosed = Locked(false)

    // MARK: The loop's thread

    private var handler: (any ConnectionHandler)?
    private var reading: FaultyStream
    private var held: [UInt8] = []
    private var stall: EventLoopTimer?
    /// A Boolean value that indicates whether there was room before a handler was set, which still has to be notified.
    private var owesRoom = false

    /// Creates a connection with faults.
    ///
    /// - Parameters:
    ///   - connection: The connection to wrap.
    ///   - plan: The plan.
    ///   - number: The number of the connection in the plan.
    ///   - record: Records the faults that have happened.
    ///   - process: The process at the other end, if it is a worker.
    package init(
        _ connection: any Connection,
        _ plan: FaultPlan,
        number: Int = 0,
        record: FaultRecord? = nil,
        process: FaultyProcess? = nil
    ) {
        inner = connection
        self.record = record
        self.process = process
        reading = FaultyStream(plan, .reading, of: number)
        writing = Locked(FaultyWriting(plan, of: number))
    }

    /// The event loop of the wrapped connection.
    package var eventLoop: any EventLoop { inner.eventLoop }
    /// The peer of the wrapped connection.
    package var peer: Peer { inner.peer }

    /// Starts delivering to the handler. Call it once.
    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { [self] in
            precondition(self.handler == nil, "A connection has one handler. Start it only once.")
            self.handler = handler
            inner.start(handler: self)
            if owesRoom { eventLoop.execute { [self] in notifyOfRoom() } }
        }
    }

    /// Closes the connection.
    package func close() {
        isClosed.withLock { $0 = true }
        inner.close()
    }

    /// Writes bytes as the plan allows, and returns how many were taken.
    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let count = pieces.reduce(0) { $0 + $1.count }
        // In these cases the wrapped connection decides what writing means, without faults.
        guard count > 0, !isClosed.withLock(\.self) else { return try inner.write(pieces) }
        switch nextWrite(of: count) {
        case .refuse, .afflict:
            return 0
        case .stall(let duration):
            scheduleRoom(after: duration)
            return 0
        case .cut:
            close()
            return try inner.write(pieces)
        case .write(let allowed):
            let taken = try allowed == count ? inner.write(pieces) : write(pieces, upTo: allowed)
            let isOurs = writing.withLock { $0.wrote(taken, of: count, allowed: allowed) }
            if isOurs { scheduleRoom(after: .zero) }
            return taken
        }
    }

    /// Decides what happens to a write, after killing or pausing the process if that comes first.
    private func nextWrite(of count: Int) -> FaultyWriting.Step {
        while true {
            let (step, struck) = writing.withLock { ($0.next(count), $0.takeStruck()) }
            record?.note(struck.map(Fault.connection))
            guard case .afflict(let affliction) = step else { return step }
            afflict(affliction)
        }
    }

    private func afflict(_ affliction: FaultyStream.Affliction) {
        switch affliction {
        case .kill: process?.kill()
        case .pause(let duration): process?.pause(for: duration, on: eventLoop)
        }
    }

    /// Writes only the first bytes.
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

    private func scheduleRoom(after duration: Duration) {
        // This happens a tick later, so never from within a write.
        eventLoop.execute { [self] in
            guard duration > .zero else { return endWait() }
            eventLoop.after(milliseconds: duration.milliseconds) { [self] in endWait() }
        }
    }

    private func endWait() {
        writing.withLock { $0.endWait() }
        owesRoom = handler == nil
        notifyOfRoom()
    }

    private func notifyOfRoom() {
        if !isClosed.withLock(\.self) { handler?.connectionWritable(self) }
    }

    // MARK: Events of the wrapped connection

    /// Delivers bytes as the plan allows.
    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        guard stall != nil else { return deliver(bytes) }
        held += bytes
        if held.count > Self.maximumHeld { endStall() }
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start < bytes.count, !isClosed.withLock(\.self) {
            let step = reading.next(bytes.count - start)
            record?.note(reading.takeStruck().map(Fault.connection))
            switch step {
            case .move(let count):
                reading.moved(count)
                handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
                start += count
            case .afflict(let affliction):
                afflict(affliction)
            case .stall(let duration):
                held = [UInt8](bytes[start...])
                stall = eventLoop.after(milliseconds: duration.milliseconds) { [self] in endStall() }
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

    /// Forwards a report of room to the handler, unless the plan delays it.
    package func connectionWritable(_ connection: any Connection) {
        // A writer that waits because of the plan is notified by the plan.
        guard writing.withLock(\.isInnerRoomForwarded) else { return }
        handler?.connectionWritable(self)
    }

    /// Notifies the handler that the event loop is held up.
    package func connectionIsHeldUp(_ connection: any Connection) {
        handler?.connectionIsHeldUp(self)
    }

    /// Delivers the bytes that are held back, and then the end of the connection.
    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        // Bytes that arrived before the end are delivered before it.
        while stall != nil { endStall() }
        handler?.connectionClosed(self, error: error)
        handler = nil
    }
}
