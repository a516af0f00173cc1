import LatticeConcurrency
import Synchronization

/// One end of a connection inside this process, for tests and for features hosted beside their coordinator.
package final class MemoryConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: the channels have locks, `isOpen` is atomic; `delivery` belongs to the loop's thread.

    package let eventLoop: any EventLoop
    package let peer = Peer.current
    private let incoming: MemoryChannel
    private let outgoing: MemoryChannel
    private let isOpen = Atomic(true)
    private var delivery = ConnectionDelivery.notStarted

    private init(eventLoop: any EventLoop, incoming: MemoryChannel, outgoing: MemoryChannel) {
        self.eventLoop = eventLoop
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// Two ends of one connection that behave like the ends of a socket pair.
    ///
    /// - Parameters:
    ///   - eventLoop: of the first end, and of the second if `other` is nil.
    ///   - capacity: bytes that each direction holds before `write` takes no more; at least 1.
    package static func pair(
        eventLoop: any EventLoop,
        other: (any EventLoop)? = nil,
        capacity: Int = 256 * 1024
    ) -> (any Connection, any Connection) {
        let (there, back) = (MemoryChannel(capacity: capacity), MemoryChannel(capacity: capacity))
        let first = MemoryConnection(eventLoop: eventLoop, incoming: back, outgoing: there)
        let second = MemoryConnection(eventLoop: other ?? eventLoop, incoming: there, outgoing: back)
        (there.writer, there.reader) = (first, second)
        (back.writer, back.reader) = (second, first)
        return (first, second)
    }

    deinit {
        // Dropped without a start: the other end must not wait for ever.
        if isOpen.load(ordering: .acquiring) { closeChannels() }
    }

    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { self.begin(handler) }
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        if pieces.allSatisfy(\.isEmpty) { return 0 }
        return try outgoing.write(pieces)
    }

    package func close() {
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
            eventLoop.execute { self.notifyRoom() }
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

    func notifyRoom() {
        guard case .going(let handler, _) = delivery, outgoing.takeRoom() else { return }
        handler.connectionWritable(self)
    }

    package func isHeldUp() {
        guard case .going(let handler, _) = delivery, isOpen.load(ordering: .acquiring) else { return }
        handler.connectionIsHeldUp(self)
    }

    package func eventLoopStops() {
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
