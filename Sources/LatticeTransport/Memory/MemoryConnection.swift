import LatticeConcurrency
import Synchronization

/// One end of a connection inside this process, for tests and for features that run in the process of their
/// coordinator.
package final class MemoryConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: the channels have locks, `isOpen` is atomic, and `delivery` belongs to the event loop's thread.

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

    /// Creates two ends of one connection, which behave like the ends of a socket pair.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the first end, and of the second end if `other` is nil.
    ///   - other: The event loop of the second end.
    ///   - capacity: The number of bytes that each direction holds before `write` accepts no more; at least 1.
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
        // An end that is released without a start must not make the other end wait forever.
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
            // A write may have accepted too little, and room may have become free, before there was a handler to
            // notify.
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
