import LatticeConcurrency
import Synchronization

/// A pipe, its lock, and who is at its ends.
final class MemoryChannel: @unchecked Sendable {
    // Unchecked: `pipe` is a lock; the ends are set once, before anybody else sees the channel. They are weak because
    // each end keeps both channels.
    private let pipe: Locked<MemoryPipe>
    weak var writer: MemoryEnd?
    weak var reader: MemoryEnd?

    init(capacity: Int) {
        precondition(capacity > 0, "A connection that holds no byte cannot carry any.")
        pipe = Locked(MemoryPipe(capacity: capacity))
    }

    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        let (taken, consequences) = try pipe.withLock { pipe throws(TransportError) in try pipe.write(pieces) }
        act(on: consequences)
        return taken
    }

    func change(_ body: (inout MemoryPipe) -> MemoryPipe.Consequences) {
        act(on: pipe.withLock { body(&$0) })
    }

    func takeRoom() -> Bool {
        pipe.withLock { $0.takeRoom() }
    }

    func takeDelivery() -> MemoryPipe.Delivery {
        let (delivery, consequences) = pipe.withLock { $0.takeDelivery() }
        act(on: consequences)
        return delivery
    }

    private func act(on consequences: MemoryPipe.Consequences) {
        if consequences.contains(.deliver), let reader { reader.eventLoop.execute { reader.deliver() } }
        if consequences.contains(.tellWriter), let writer { writer.eventLoop.execute { writer.tellOfRoom() } }
    }
}

/// One end of a connection inside the process.
final class MemoryEnd: Connection, Registrant, @unchecked Sendable {
    // Unchecked: the channels have locks, `isOpen` is atomic; `delivery` belongs to the loop's thread.

    private enum Delivery {
        case notStarted
        case going(any ConnectionHandler, Registration)
        case ended
    }

    let eventLoop: any EventLoop
    let peer = Peer.current
    private let incoming: MemoryChannel
    private let outgoing: MemoryChannel
    private let isOpen = Atomic(true)
    private var delivery = Delivery.notStarted

    init(eventLoop: any EventLoop, incoming: MemoryChannel, outgoing: MemoryChannel) {
        self.eventLoop = eventLoop
        self.incoming = incoming
        self.outgoing = outgoing
    }

    deinit {
        // Dropped without a start: the other end must not wait for ever.
        if isOpen.load(ordering: .acquiring) { closeChannels() }
    }

    func start(handler: any ConnectionHandler) {
        eventLoop.perform { self.begin(handler) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
        try withUnsafePointer(to: bytes) { bytes throws(TransportError) in
            try write(UnsafeBufferPointer(start: bytes, count: 1))
        }
    }

    func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        if pieces.allSatisfy(\.isEmpty) { return 0 }
        return try outgoing.write(pieces)
    }

    func pauseReading() {
        incoming.change { pipe in
            pipe.pauseReader()
            return []
        }
    }

    func resumeReading() {
        incoming.change { $0.resumeReader() }
    }

    func close() {
        guard isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return }
        closeChannels()
        eventLoop.execute { self.finish() }
    }

    private func closeChannels() {
        outgoing.change { $0.closeWriter() }
        incoming.change { $0.closeReader() }
    }

    // MARK: On the event loop's thread

    private func begin(_ handler: any ConnectionHandler) {
        switch delivery {
        case .going:
            preconditionFailure("A connection has one handler: start it once.")
        case .ended:
            eventLoop.execute { handler.connectionClosed(self, error: nil) }
        case .notStarted:
            delivery = .going(handler, eventLoop.register(self))
            incoming.change { $0.startReader() }
            // There may have been a write that took less, and room since, while nobody was there to be told.
            eventLoop.execute { self.tellOfRoom() }
        }
    }

    func deliver() {
        guard case .going(let handler, _) = delivery, isOpen.load(ordering: .acquiring) else { return }
        switch incoming.takeDelivery() {
        case .nothing: break
        case .bytes(let bytes): bytes.withUnsafeBytes { handler.connection(self, received: $0) }
        case .end: finish()
        }
    }

    func tellOfRoom() {
        guard case .going(let handler, _) = delivery, outgoing.takeRoom() else { return }
        handler.connectionWritable(self)
    }

    func isHeldUp() {
        guard case .going(let handler, _) = delivery, isOpen.load(ordering: .acquiring) else { return }
        handler.connectionIsHeldUp(self)
    }

    func eventLoopStops() {
        finish()
    }

    private func finish() {
        if isOpen.exchange(false, ordering: .acquiringAndReleasing) { closeChannels() }
        switch delivery {
        case .ended: return
        case .notStarted: delivery = .ended
        case .going(let handler, let registration):
            delivery = .ended
            eventLoop.deregister(registration)
            handler.connectionClosed(self, error: nil)
        }
    }
}
