import LatticeConcurrency
import LatticeCore
package import LatticeTransport
package import LatticeWire

/// One connection after its handshake: frames in both directions, two lanes, liveness, and an orderly end.
///
/// Sending is possible from any thread and never blocks: what the socket takes goes out from the caller's thread, the
/// rest waits, bounded, until there is room. On the reactor's own thread frames are gathered and go out together at
/// the end of its turn. Receiving happens on the reactor's thread.
package final class Session: ConnectionHandler, TickObserver, @unchecked Sendable {
    // What is not `let` and not inside `core` is touched on the reactor's thread only, and never inside one another:
    // nothing is received while something is being received.

    /// In a turn of the reactor so many requests to write are gathered for one write.
    private static let asksPerWrite = 64

    /// What `append` did with the frames.
    private enum Adding { case accepted, overLimit(Int), closed }

    package let connection: any Connection
    private let eventLoop: any EventLoop
    let core: Locked<SessionCore>
    private let liveness: (interval: Duration, limit: Duration)?
    private let assembly: AssemblyBudget?
    let handshakeLimit: Duration?
    let created = ContinuousClock.now
    /// Let go of at the end. Not weak: that slows down every other reference to the handler.
    @exclusivity(unchecked) private var handler: (any SessionHandler)?

    private let side: Handshake.Side
    @exclusivity(unchecked) private var handshake: Handshake
    @exclusivity(unchecked) private var decoder = FrameDecoder()
    @exclusivity(unchecked) private var assembler: MessageAssembler
    @exclusivity(unchecked) private var flushIsRegistered = false
    @exclusivity(unchecked) private var sliceIsRegistered = false
    @exclusivity(unchecked) private var asksInTurn = 0
    @exclusivity(unchecked) private var endError: SessionError?
    @exclusivity(unchecked) var timer: EventLoopTimer?
    /// The other side has said its last word.
    @exclusivity(unchecked) private var hasHeardGoodbye = false

    /// - Parameters:
    ///   - liveness: How often to ask the other side and how long to wait; nil: never.
    ///   - handshakeLimit: How long the handshake may take; nil: as long as the other side lets it.
    ///   - assembly: What the unfinished messages of this session and of others may take together.
    package init(
        over connection: any Connection,
        as side: Handshake.Side,
        liveness: (interval: Duration, limit: Duration)? = nil,
        handshakeLimit: Duration? = .milliseconds(FrameLimits.handshakeMilliseconds),
        limits: WriteQueueLimits = WriteQueueLimits(),
        assembly: AssemblyBudget? = nil,
        handler: any SessionHandler
    ) {
        self.connection = connection
        eventLoop = connection.eventLoop
        self.liveness = liveness
        self.handshakeLimit = handshakeLimit
        self.handler = handler
        self.side = side
        handshake = Handshake(side)
        assembler = MessageAssembler(from: side.place.other)
        core = Locked(SessionCore(queue: WriteQueue(limits: limits)))
        self.assembly = assembly
    }

    /// Begins the handshake. Call once, on any thread.
    package func start() {
        eventLoop.execute { [self] in
            if let hello = handshake.start() { sendControl(hello) }
            // Held until the connection is closed, as by the connection. A weak reference would slow down every other one.
            assembler.share = assembly?.join { [self] error in abort(.receiving(error)) }
            connection.start(handler: self)
            watchTime()
        }
    }

    // MARK: Sending

    /// Adds frames under the session's lock, then writes what the socket takes.
    ///
    /// - Returns: Whether the frames will go out; false once the session is ending.
    @discardableResult
    package func send(_ add: (inout WriteQueue) throws -> Void) rethrows -> Bool {
        let added = try append(add)
        flushSoon()
        return added
    }

    /// Adds frames without writing; `flushSoon` follows, outside the caller's own lock.
    @discardableResult
    package func append(_ add: (inout WriteQueue) throws -> Void) rethrows -> Bool {
        try change { try add(&$0.queue) }
    }

    /// Adds an event of the opener's own without writing. What is sent most often: without a closure, what it would
    /// capture costs no reference counts.
    package func append(event: UInt64, action: [UInt8], on channel: UInt32) {
        change { $0.queue.addEvent(event, action: action, on: channel) }
    }

    @discardableResult @inline(__always)
    private func change(_ add: (inout SessionCore) throws -> Void) rethrows -> Bool {
        let adding = try core.withLock { core -> Adding in
            guard !core.isEnding, !core.isClosed else { return .closed }
            try add(&core)
            return core.queue.isOverLimit ? .overLimit(core.queue.count) : .accepted
        }
        switch adding {
        case .accepted: return true
        case .closed: return false
        case .overLimit(let bytes):
            abort(.slowReader(bytes))
            return false
        }
    }

    /// Adds a state unless it would wait behind an older one; then `sessionDrained` follows once it would not. Without
    /// writing, as `append`.
    ///
    /// - Returns: Whether there was room.
    package func appendState(on channel: UInt32, _ add: (inout WriteQueue) -> Void) -> Bool {
        var hasRoom = true
        change { core in
            if core.queue.isBacklogged(channel) {
                core.wantingRoom.insert(channel)
                hasRoom = false
            } else {
                add(&core.queue)
            }
        }
        return hasRoom
    }

    /// Adds a control message and writes.
    package func sendControl(_ message: some WireMessageBody, on channel: UInt32 = 0) {
        send { $0.addControl(message, on: channel) }
    }

    /// Whether a state of the channel would go out rather than wait behind an older one. If not, `sessionDrained`
    /// follows once it would.
    package func canPublish(on channel: UInt32) -> Bool {
        core.withLock { core in
            guard core.queue.isBacklogged(channel) else { return true }
            core.wantingRoom.insert(channel)
            return false
        }
    }

    /// Whether all data of a channel that had been added when this was first asked is in the socket. If not,
    /// `sessionDrained` follows once it is, and the question is open until then.
    package func hasWritten(on channel: UInt32) -> Bool {
        core.withLock { $0.hasWritten(channel) }
    }

    /// Nobody asks for that any more.
    package func stopAwaiting(_ channel: UInt32) {
        core.withLock { $0.awaited[channel] = nil }
    }

    /// Whether an event of so many bytes may be added without going over what may wait.
    package func hasRoom(for bytes: Int) -> Bool {
        core.withLock { $0.queue.hasRoom(for: bytes) }
    }

    /// Writes at the end of the reactor's turn, or at once on any other thread.
    ///
    /// While the reactor is in a turn other threads leave the writing to it: what several of them add meanwhile, or one
    /// of them in a row, goes out together.
    package func flushSoon() {
        guard eventLoop.isCurrent else {
            if !deferFlush(waking: false) { flush() }
            return
        }
        asksInTurn += 1
        if asksInTurn == Self.asksPerWrite {
            // A long turn does not keep the other side waiting for its end.
            asksInTurn = 0
            return flush()
        }
        guard !flushIsRegistered else { return }
        flushIsRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// Leaves the writing to the reactor's thread: what is added until it comes to that goes out together. For senders
    /// with many messages on their way, who gain more from fewer system calls than from an early one.
    package func flushOnReactor() {
        if eventLoop.isCurrent { flushSoon() } else { _ = deferFlush(waking: true) }
    }

    /// Writes when it is this session's turn among many that have the same news. On the reactor's thread.
    package func fairFlush() {
        guard !sliceIsRegistered else { return }
        sliceIsRegistered = true
        eventLoop.fairFlush(self)
    }

    package func tickEnded() {
        flushIsRegistered = false
        sliceIsRegistered = false
        asksInTurn = 0
        flush()
    }

    /// - Parameter waking: Whether the reactor is worth waking for it.
    /// - Returns: Whether the reactor will write.
    private func deferFlush(waking: Bool) -> Bool {
        let isFirst = core.withLock { core in
            defer { core.isHandedOver = true }
            return !core.isHandedOver
        }
        guard isFirst else { return true }
        let work: @Sendable () -> Void = { [self] in
            core.withLock { $0.isHandedOver = false }
            flush()
        }
        if waking {
            eventLoop.execute(work)
        } else if !eventLoop.executeIfRunning(work) {
            core.withLock { $0.isHandedOver = false }
            return false
        }
        return true
    }

    /// Writes what the socket takes now.
    package func flush() {
        while true {
            let written: Int
            do throws(TransportError) {
                guard let count = try writeBatch() else { return }
                written = count
            } catch {
                // A connection that is gone says so by `connectionClosed`, behind what it still has to read. Any other
                // fault is this side's, and nothing can be written any more.
                if error.code != .closed, error.code != .peerClosed { abort(.transport(error)) }
                return
            }
            let (goesOn, isDone, isDrained) = core.withLock { core in
                let goesOn = core.queue.finishWriting(written)
                return (goesOn, core.isEnding && core.queue.isEmpty, core.takeDrained())
            }
            if isDone { connection.close() }
            if isDrained { eventLoop.execute { [self] in handler?.sessionDrained(self) } }
            if !goesOn { return }
        }
    }

    /// A function of its own, so that the queue has its buffers to itself again when it hears of the end.
    ///
    /// - Returns: How many bytes the socket took; nil if there is nothing to write, or not now, or somebody else does.
    private func writeBatch() throws(TransportError) -> Int? {
        guard let batch = core.withLock({ $0.queue.startWriting() }) else { return nil }
        return try connection.write(batch)
    }

    // MARK: Ending

    /// Writes what is waiting, says goodbye, and closes.
    package func end(_ code: GoodbyeCode = .normal, reason: String = "") {
        // Before the handshake is done nobody knows of a session that could end.
        end { core in
            if core.isOpen { core.queue.addLast(Goodbye(code: code, reason: reason)) }
        }
    }

    private func end(_ addLastWord: (inout SessionCore) -> Void) {
        let isFirst = core.withLock { core in
            guard !core.isEnding, !core.isClosed else { return false }
            addLastWord(&core)
            core.isEnding = true
            return true
        }
        guard isFirst else { return }
        flush()
        if core.withLock(\.queue.isEmpty) { connection.close() }
    }

    /// Ends the session because of a fault; the handler hears of it.
    package func abort(_ error: SessionError) {
        eventLoop.execute { [self] in
            if endError == nil { endError = error }
            end { core in
                // Ahead of what waits: that is not waited for.
                if core.isOpen {
                    core.queue.addControl(Goodbye(code: error.goodbyeCode, reason: error.detail))
                } else if case .acceptor(let acceptance) = side {
                    let versions = acceptance.versions
                    let refusal = Refuse(code: error.refusalCode, reason: error.detail, versions: versions)
                    core.queue.addControl(refusal)
                }
            }
            // What the other side does not read is not waited for.
            connection.close()
        }
    }

    // MARK: Receiving

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        guard endError == nil else { return }
        do throws(WireError) {
            try decoder.feed(bytes) { header, body throws(WireError) in
                // Nothing is kept for a stranger, and nothing is of a kind that this version does not read.
                if header.flags.contains(.more), !handshake.isDone,
                    MessageKind(rawValue: header.kind)?.isReserved == false
                {
                    throw .beforeHandshake(kind: header.kind)
                }
                try assembler.receive(header, body) { kind, channel, message throws(WireError) in
                    try receive(kind, channel, message)
                }
            }
        } catch {
            abort(.receiving(error))
        }
    }

    private func receive(_ kind: MessageKind, _ channel: UInt32, _ body: UnsafeRawBufferPointer) throws(WireError) {
        guard endError == nil, !hasHeardGoodbye else { return }
        guard handshake.isDone else { return shakeHands(kind, body) }
        switch kind {
        case .ping:
            let ping = try Ping(decoding: body)
            sendControl(Pong(number: ping.number))
        case .pong:
            let pong = try Pong(decoding: body)
            core.withLock { $0.heartbeat?.receive(pong: pong.number, now: .now) }
        case .goodbye:
            let goodbye = try Goodbye(decoding: body)
            if goodbye.code != .normal { endError = .goodbye(goodbye) }
            hasHeardGoodbye = true
            core.withLock { $0.isEnding = true }
            connection.close()
        case .hello, .welcome, .refuse:
            throw .repeatedHandshake(kind)
        default:
            try handler?.session(self, received: kind, on: channel, body: body)
        }
    }

    private func shakeHands(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {
        do throws(SessionError) {
            switch try handshake.receive(kind, body) {
            case .accept(let welcome, let peer):
                sendControl(welcome)
                open(peer)
            case .opened(let peer):
                open(peer)
            case .refuse(let refusal) where kind == .refuse:
                endError = .refused(by: "other side", refusal)
                connection.close()
            case .refuse(let refusal) where kind == .welcome:
                // The acceptor has let this side in and would not understand a refusal.
                endError = .refusing(refusal)
                connection.close()
            case .refuse(let refusal):
                endError = .refusing(refusal)
                sendControl(refusal)
                core.withLock { $0.isEnding = true }
            }
        } catch {
            abort(error)
        }
    }

    private func open(_ peer: Handshake.Peer) {
        core.withLock { core in
            core.isOpen = true
            if let liveness {
                core.heartbeat = Heartbeat(interval: liveness.interval, limit: liveness.limit, now: .now)
            }
        }
        watchTime()
        handler?.sessionOpened(self, peer: peer)
    }

    package func connectionWritable(_ connection: any Connection) {
        if core.withLock({ $0.queue.connectionIsWritable() }) { flush() }
    }

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        core.withLock { core in
            core.isClosed = true
            core.queue = WriteQueue()
        }
        assembler.share = nil
        watchTime()
        let handler = self.handler.take()
        handler?.sessionClosed(self, error: endError ?? error.map(SessionError.transport))
    }
}
