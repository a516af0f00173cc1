import LatticeConcurrency
import LatticeSession
package import LatticeTransport

/// A connection on which things go wrong by plan. But for that it is the one that it wraps.
///
/// It breaks no promise of ``Connection``: what it splits or delays arrives, in order, and what it cuts ends.
package final class FaultyConnection: Connection, ConnectionHandler, @unchecked Sendable {
    // Unchecked: `writing` and `isClosed` are locks; what is below "The loop's thread" is touched there only.

    /// What is held back while reading stands still. With more the stall is over.
    static let maximumHeld = 1 << 20

    private let inner: any Connection
    private let record: FaultRecord?
    private let process: FaultyProcess?
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

    /// - Parameters:
    ///   - connection: What it wraps.
    ///   - number: Which one that is, of those that the plan is for.
    ///   - record: Hears which faults have happened.
    ///   - process: The one at the other end, if that is a worker.
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

    package var eventLoop: any EventLoop { inner.eventLoop }
    package var peer: Peer { inner.peer }

    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { [self] in
            precondition(self.handler == nil, "A connection has one handler: start it once.")
            self.handler = handler
            inner.start(handler: self)
            if owesRoom { eventLoop.execute { [self] in passRoomOn() } }
        }
    }

    package func close() {
        isClosed.withLock { $0 = true }
        inner.close()
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let count = pieces.reduce(0) { $0 + $1.count }
        // Says what that is for who writes, without faults.
        guard count > 0, !isClosed.withLock(\.self) else { return try inner.write(pieces) }
        switch nextWrite(of: count) {
        case .refuse, .afflict:
            return 0
        case .stall(let duration):
            tellRoom(after: duration)
            return 0
        case .cut:
            close()
            return try inner.write(pieces)
        case .write(let allowed):
            let taken = try allowed == count ? inner.write(pieces) : write(pieces, upTo: allowed)
            let isOurs = writing.withLock { $0.wrote(taken, of: count, allowed: allowed) }
            if isOurs { tellRoom(after: .zero) }
            return taken
        }
    }

    /// What is to be done with a write, when what happens to the process has happened.
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

    private func tellRoom(after duration: Duration) {
        // First a tick later: never from inside a write.
        eventLoop.execute { [self] in
            guard duration > .zero else { return roomCame() }
            eventLoop.after(milliseconds: duration.milliseconds) { [self] in roomCame() }
        }
    }

    private func roomCame() {
        writing.withLock { $0.roomCame() }
        owesRoom = handler == nil
        passRoomOn()
    }

    private func passRoomOn() {
        if !isClosed.withLock(\.self) { handler?.connectionWritable(self) }
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
