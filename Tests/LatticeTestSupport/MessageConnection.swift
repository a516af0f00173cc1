import LatticeConcurrency
package import LatticeTransport

/// A connection over a ``LossyLink``: a message that does not come in its turn breaks it, so that there is never a gap.
///
/// It is made of what ``Connection`` and ``EventLoop`` promise, and nothing else. Unlike others it can be told not to
/// read.
package final class MessageConnection: Connection, Registrant, @unchecked Sendable {
    // Unchecked: `state` is a lock; `delivery` belongs to the loop's thread.

    private enum Delivery {
        case notStarted
        case going(any ConnectionHandler, Registration)
        case ended
    }

    /// Between two questions for what was sent and not seen.
    private static let askMilliseconds: Int64 = 20

    package let eventLoop: any EventLoop
    package let peer: Peer
    private let link: LossyLink
    private let otherPlace: Int
    private let state: Locked<MessageStream>
    private var delivery = Delivery.notStarted

    /// Two ends of one connection.
    ///
    /// - Parameters:
    ///   - eventLoop: of the first end, and of the second if `other` is nil.
    ///   - capacity: bytes that are on their way in each direction before `write` takes no more.
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
        // Dropped without a start: the other end must not wait for ever.
        if let end = state.withLock({ $0.close() }) { link.send(end, to: otherPlace) }
    }

    package func start(handler: any ConnectionHandler) {
        eventLoop.perform { self.begin(handler) }
    }

    package func write(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) throws(TransportError) -> Int {
        if pieces.allSatisfy(\.isEmpty) { return 0 }
        let (taken, asks) = try state.withLock { state throws(TransportError) in
            let (taken, messages) = try state.write(pieces)
            // Under the lock, so that they leave in the order of their numbers.
            for message in messages { link.send(message, to: otherPlace) }
            return (taken, state.beginsAsking())
        }
        if asks { eventLoop.perform { self.askLater() } }
        return taken
    }

    package func close() {
        guard sendEnd() else { return }
        eventLoop.execute { self.finish(nil) }
    }

    /// Nothing is delivered until `resumeReading`, so the other side runs out of room. The end too is only seen then.
    package func pauseReading() {
        state.withLock { $0.isPaused = true }
    }

    package func resumeReading() {
        state.withLock { $0.isPaused = false }
        eventLoop.execute { self.deliver() }
    }

    /// - Returns: Whether it was open until now.
    private func sendEnd() -> Bool {
        let (wasOpen, asks) = state.withLock { state in
            guard let end = state.close() else { return (false, false) }
            link.send(end, to: otherPlace)
            return (true, state.beginsAsking())
        }
        if asks { eventLoop.execute { self.askLater() } }
        return wasOpen
    }

    // MARK: The loop's thread

    private func begin(_ handler: any ConnectionHandler) {
        switch delivery {
        case .going:
            preconditionFailure("A connection has one handler: start it once.")
        case .ended:
            eventLoop.execute { handler.connectionClosed(self, error: nil) }
        case .notStarted:
            delivery = .going(handler, eventLoop.register(self))
            eventLoop.execute {
                self.deliver()
                self.tellOfRoom()
            }
        }
    }

    func receive(_ message: LinkMessage) {
        if let answer = state.withLock({ $0.receive(message) }) { link.send(answer, to: otherPlace) }
        deliver()
        tellOfRoom()
    }

    private func deliver() {
        guard case .going(let handler, _) = delivery else { return }
        switch state.withLock({ $0.takeDelivery() }) {
        case .nothing: return
        case .bytes(let bytes, let seen):
            link.send(seen, to: otherPlace)
            bytes.withUnsafeBytes { handler.connection(self, received: $0) }
            // Others get theirs in between.
            eventLoop.execute { self.deliver() }
        case .end(let error): finish(error)
        }
    }

    private func tellOfRoom() {
        guard case .going(let handler, _) = delivery, state.withLock({ $0.takeRoom() }) else { return }
        handler.connectionWritable(self)
    }

    /// What was lost last is noticed only by asking.
    private func askLater() {
        eventLoop.after(milliseconds: Self.askMilliseconds) { [self] in
            guard let question = state.withLock({ $0.question() }) else { return }
            link.send(question, to: otherPlace)
            askLater()
        }
    }

    package func isHeldUp() {
        guard case .going(let handler, _) = delivery, state.withLock(\.isOpen) else { return }
        handler.connectionIsHeldUp(self)
    }

    package func eventLoopStops() {
        finish(nil)
    }

    private func finish(_ error: TransportError?) {
        _ = sendEnd()
        let old = delivery
        delivery = .ended
        guard case .going(let handler, let registration) = old else { return }
        eventLoop.deregister(registration)
        handler.connectionClosed(self, error: error)
    }
}

extension Connection {
    /// For connections of tests over a ``LossyLink``, and for no others.
    package func pauseReading() {
        messages.pauseReading()
    }

    package func resumeReading() {
        messages.resumeReading()
    }

    private var messages: MessageConnection {
        guard let messages = self as? MessageConnection else { fatalError("\(self) always reads.") }
        return messages
    }
}
