import LatticeConcurrency
package import LatticeTransport

/// A connection over a ``LossyLink``. A lost or reordered message breaks the connection, so its bytes never have a gap.
///
/// The class uses only the documented behaviour of ``Connection`` and ``EventLoop``. Unlike other connections it can
/// pause reading.
package final class MessageConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: `state` is a lock, and `delivery` is used only on the event loop's thread.

    private enum Delivery {
        case notStarted
        case started(any ConnectionHandler, Registration)
        case ended
    }

    /// The time between two queries for unconfirmed messages.
    private static let queryIntervalMilliseconds: Int64 = 20

    package let eventLoop: any EventLoop
    package let peer: Peer
    private let link: LossyLink
    private let otherPlace: Int
    private let state: Locked<MessageStream>
    private var delivery = Delivery.notStarted

    /// Creates the two ends of one connection.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the first end, and of the second end if `other` is nil.
    ///   - other: The event loop of the second end.
    ///   - capacity: The maximum number of unread bytes in each direction. Above it, `write` accepts no more bytes.
    ///   - faults: The messages that are lost or swapped.
    package static func pair(
        eventLoop: any EventLoop,
        other: (any EventLoop)? = nil,
        capacity: Int = 256 * 1024,
        faults: LossyLink.Faults = .none
    ) -> (MessageConnection, MessageConnection) {
        let link = LossyLink(faults)
        let first = MessageConnection(eventLoop, link, otherPlace: 1, capacity)
        let second = MessageConnection(other ?? eventLoop, link, otherPlace: 0, capacity)
        link.connect(first, second)
        return (first, second)
    }

    private init(_ eventLoop: any EventLoop, _ link: LossyLink, otherPlace: Int, _ capacity: Int) {
        self.eventLoop = eventLoop
        self.link = link
        self.otherPlace = otherPlace
        peer = Peer.Principal("the other end of a test's link").map(Peer.relayed) ?? .unknown
        state = Locked(MessageStream(capacity: capacity))
    }

    deinit {
        // An end that is released without a start closes, so that the other end does not wait for ever.
        if let end = state.withLock({ $0.close() }) { link.send(end, to: otherPlace) }
    }

    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { self.begin(handler) }
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        if pieces.allSatisfy(\.isEmpty) { return 0 }
        let (taken, queries) = try state.withLock { state throws(TransportError) in
            let (taken, messages) = try state.write(pieces)
            // Messages are sent under the lock, so that they keep the order of their numbers.
            for message in messages { link.send(message, to: otherPlace) }
            return (taken, state.beginsQueries())
        }
        if queries { eventLoop.perform { self.queryLater() } }
        return taken
    }

    package func close() {
        guard sendEnd() else { return }
        eventLoop.execute { self.finish(nil) }
    }

    /// Stops all deliveries, including the end, until ``resumeReading()`` is called. The other side runs out of room.
    package func pauseReading() {
        state.withLock { $0.isPaused = true }
    }

    /// Continues the deliveries.
    package func resumeReading() {
        state.withLock { $0.isPaused = false }
        eventLoop.execute { self.deliver() }
    }

    /// Sends the end if the connection is open.
    ///
    /// - Returns: Whether the connection was open.
    private func sendEnd() -> Bool {
        let (wasOpen, queries) = state.withLock { state in
            guard let end = state.close() else { return (false, false) }
            link.send(end, to: otherPlace)
            return (true, state.beginsQueries())
        }
        if queries { eventLoop.execute { self.queryLater() } }
        return wasOpen
    }

    // MARK: The loop's thread

    private func begin(_ handler: any ConnectionHandler) {
        switch delivery {
        case .started:
            preconditionFailure("A connection has one handler: start it once.")
        case .ended:
            eventLoop.execute { handler.connectionClosed(self, error: nil) }
        case .notStarted:
            delivery = .started(handler, eventLoop.register(self))
            eventLoop.execute {
                self.deliver()
                self.reportRoom()
            }
        }
    }

    func receive(_ message: LinkMessage) {
        if let answer = state.withLock({ $0.receive(message) }) { link.send(answer, to: otherPlace) }
        deliver()
        reportRoom()
    }

    private func deliver() {
        guard case .started(let handler, _) = delivery else { return }
        switch state.withLock({ $0.takeDelivery() }) {
        case .nothing: return
        case .bytes(let bytes, let seen):
            link.send(seen, to: otherPlace)
            bytes.withUnsafeBytes { handler.connection(self, received: $0) }
            // Other connections on the loop are served before the next delivery.
            eventLoop.execute { self.deliver() }
        case .end(let error): finish(error)
        }
    }

    private func reportRoom() {
        guard case .started(let handler, _) = delivery, state.withLock({ $0.takeRoom() }) else { return }
        handler.connectionWritable(self)
    }

    /// Queries the other end after an interval while messages are unconfirmed.
    ///
    /// A lost last message is noticed only by a query, because no later message shows the gap.
    private func queryLater() {
        eventLoop.after(milliseconds: Self.queryIntervalMilliseconds) { [self] in
            guard let query = state.withLock({ $0.query() }) else { return }
            link.send(query, to: otherPlace)
            queryLater()
        }
    }

    package func isHeldUp() {
        guard case .started(let handler, _) = delivery, state.withLock(\.isOpen) else { return }
        handler.connectionIsHeldUp(self)
    }

    package func eventLoopStops() {
        finish(nil)
    }

    private func finish(_ error: TransportError?) {
        _ = sendEnd()
        let old = delivery
        delivery = .ended
        guard case .started(let handler, let registration) = old else { return }
        eventLoop.deregister(registration)
        handler.connectionClosed(self, error: error)
    }
}

extension Connection {
    /// Pauses reading. Only a ``MessageConnection`` supports this, and any other connection traps.
    package func pauseReading() {
        messages.pauseReading()
    }

    /// Continues reading. Only a ``MessageConnection`` supports this, and any other connection traps.
    package func resumeReading() {
        messages.resumeReading()
    }

    private var messages: MessageConnection {
        guard let messages = self as? MessageConnection else { fatalError("\(self) cannot pause reading.") }
        return messages
    }
}
