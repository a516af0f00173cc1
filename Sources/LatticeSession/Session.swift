import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// One connection after its handshake: frames in both directions, two lanes, liveness, an orderly end, and the channels
/// between which it routes.
///
/// Sending is possible from any thread and never blocks: what the socket takes goes out from the caller's thread, the
/// rest waits, bounded, until there is room. On the event loop's own thread frames are gathered and go out together at
/// the end of its tick. Receiving happens on the event loop. How far it is is decided by ``SessionState``.
package final class Session: ConnectionHandler, TickObserver, @unchecked Sendable {
    // What is below "The event loop's own" is touched there only, and never inside one another: nothing is received
    // while something is being received. All else is `let` or inside `output`.

    /// In a tick of the event loop so many requests to write are gathered for one write.
    private static let asksPerWrite = 64

    /// What `append` did with the frames.
    private enum Adding { case accepted, overLimit(Int), closed }

    package let connection: any Connection
    package let eventLoop: any EventLoop
    let output: Locked<SessionOutput>
    private let assembly: AssemblyBudget?
    private let side: SessionSide

    // MARK: The event loop's own

    // Unchecked: checks of exclusive access at run time took 3 % of the CPU of `latticectl bench session`.
    /// Let go of at the end. Not weak: that slows down every other reference to the handler.
    @exclusivity(unchecked) var handler: (any SessionHandler)?
    @exclusivity(unchecked) var multiplexer = Multiplexer()
    @exclusivity(unchecked) private var decoder = FrameDecoder()
    @exclusivity(unchecked) private var assembler: MessageAssembler
    @exclusivity(unchecked) var parts: PartReceiver
    @exclusivity(unchecked) private var isFlushRegistered = false
    private var isFairFlushRegistered = false
    @exclusivity(unchecked) private var asksInTick = 0
    private var timer: EventLoopTimer?
    // Last: how large an instant is comes out at run time only, and what lies behind it takes longer to find.
    @exclusivity(unchecked) private var state: SessionState

    /// - Parameters:
    ///   - liveness: How often to ask the other side and how long to wait; nil: never.
    ///   - handshakeTimeout: How long the handshake may take; nil: as long as the other side lets it.
    ///   - maximumPayload: Bytes of the largest state that is taken in parts; 0: none is.
    ///   - assembly: What the unfinished messages of this session and of others may take together.
    package init(
        over connection: any Connection,
        as side: Handshake.Side,
        liveness: Liveness? = nil,
        handshakeTimeout: Duration? = .milliseconds(FrameLimits.handshakeMilliseconds),
        limits: WriteQueueLimits = WriteQueueLimits(),
        maximumPayload: Int = FrameLimits.maximumState,
        assembly: AssemblyBudget? = nil,
        handler: any SessionHandler
    ) {
        self.connection = connection
        eventLoop = connection.eventLoop
        self.handler = handler
        self.side = side.place
        assembler = MessageAssembler(from: side.place.other)
        parts = PartReceiver(maximumPayload: maximumPayload)
        state = SessionState(side, handshakeTimeout: handshakeTimeout, liveness: liveness, now: .now)
        output = Locked(SessionOutput(queue: WriteQueue(limits: limits)))
        self.assembly = assembly
    }

    /// Begins the handshake. Call once, on any thread.
    package func start() {
        eventLoop.execute { [self] in
            if let hello = state.start() { sendControl(hello) }
            // Held until the connection is closed, as by that. A weak reference would slow down every other one.
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

    /// Adds an event of the sender's own without writing. What is sent most often: without a closure, what it would
    /// capture costs no reference counts.
    package func append(event: UInt64, action: [UInt8], on channel: UInt32) {
        change { $0.queue.addEvent(event, action: action, on: channel) }
    }

    @discardableResult @inline(__always)
    func change(_ add: (inout SessionOutput) throws -> Void) rethrows -> Bool {
        let adding = try output.withLock { output -> Adding in
            guard output.phase == .accepting else { return .closed }
            try add(&output)
            return output.queue.isOverLimit ? .overLimit(output.queue.count) : .accepted
        }
        switch adding {
        case .accepted: return true
        case .closed: return false
        case .overLimit(let bytes):
            abort(.slowReader(bytes))
            return false
        }
    }

    /// Adds a control message and writes.
    package func sendControl(_ message: some WireMessageBody, on channel: UInt32 = 0) {
        send { $0.addControl(message, on: channel) }
    }

    // MARK: Writing

    /// Writes at the end of the event loop's tick, or at once on any other thread.
    ///
    /// While the loop is in a tick other threads leave the writing to it: what several of them add meanwhile, or one
    /// of them in a row, goes out together.
    package func flushSoon() {
        guard eventLoop.isCurrent else {
            if !deferFlush(waking: false) { flush() }
            return
        }
        asksInTick += 1
        if asksInTick == Self.asksPerWrite {
            // A long tick does not keep the other side waiting for its end.
            asksInTick = 0
            return flush()
        }
        guard !isFlushRegistered else { return }
        isFlushRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// Leaves the writing to the event loop: what is added until it comes to that goes out together. For senders with
    /// many messages on their way, who gain more from fewer system calls than from an early one.
    package func flushOnEventLoop() {
        if eventLoop.isCurrent { flushSoon() } else { _ = deferFlush(waking: true) }
    }

    /// Writes when it is this session's turn among many that have the same news. On the event loop.
    package func fairFlush() {
        guard !isFairFlushRegistered else { return }
        isFairFlushRegistered = true
        eventLoop.fairFlush(self)
    }

    package func tickEnded() {
        isFlushRegistered = false
        isFairFlushRegistered = false
        asksInTick = 0
        flush()
    }

    /// - Parameter waking: Whether the event loop is worth waking for it.
    /// - Returns: Whether the event loop will write.
    private func deferFlush(waking: Bool) -> Bool {
        let isFirst = output.withLock { output in
            defer { output.isFlushDeferred = true }
            return !output.isFlushDeferred
        }
        guard isFirst else { return true }
        let work: @Sendable () -> Void = { [self] in
            output.withLock { $0.isFlushDeferred = false }
            flush()
        }
        if waking {
            eventLoop.execute(work)
        } else if !eventLoop.executeIfRunning(work) {
            output.withLock { $0.isFlushDeferred = false }
            return false
        }
        return true
    }

    /// Writes what the socket takes now. Any thread.
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
                if output.withLock(\.closesBehindWrite) { connection.close() }
                return
            }
            let (goesOn, isDone, drained) = output.withLock { output in
                let goesOn = output.queue.finishWriting(written)
                return (goesOn, output.isDone(goesOn: goesOn), output.takeDrained())
            }
            if isDone { connection.close() }
            if !drained.isEmpty {
                eventLoop.execute { [self] in for number in drained { multiplexer[number]?.sessionDrained() } }
            }
            if !goesOn { return }
        }
    }

    /// A function of its own, so that the queue has its buffers to itself again when it hears of the end.
    ///
    /// - Returns: How many bytes the socket took; nil if there is nothing to write, or not now, or somebody else does.
    private func writeBatch() throws(TransportError) -> Int? {
        guard let batch = output.withLock({ $0.queue.startWriting() }) else { return nil }
        return try connection.write(batch)
    }

    package func connectionWritable(_ connection: any Connection) {
        if output.withLock({ $0.queue.connectionIsWritable() }) { flush() }
    }

    /// Tells the other side that its ping is not read because this thread is at work on a large value.
    package func connectionIsHeldUp(_ connection: any Connection) {
        guard state.isOpen else { return }
        output.withLock { $0.addSignOfLife() }
        flush()
    }

    // MARK: Receiving

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        do throws(WireError) {
            try decoder.feed(bytes) { header, body throws(WireError) in
                let hears = state.hears
                if hears == .nothing { return }
                // Nothing is kept for a stranger, and nothing is of a kind that this version does not read.
                if hears == .handshake, header.flags.contains(.more), MessageKind(rawValue: header.kind) != nil {
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
        guard state.hears == .messages else { return shakeHands(kind, body) }
        if kind.lane == .data, channel != 0, try receivesInParts(kind, channel, body) { return }
        switch kind {
        case .ping:
            let number = try Ping(decoding: body).number
            handler?.session(self, isAsked: { [self] in sendControl(Pong(number: number, problem: $0)) })
        case .pong:
            let pong = try Pong(decoding: body)
            if state.receive(pong: pong.number, now: .now) { handler?.sessionAnswersAgain(self) }
            if pong.number != Pong.unasked { handler?.session(self, hasProblem: pong.problem) }
        case .goodbye:
            state.receive(try Goodbye(decoding: body))
            output.withLock { $0.phase = .ended }
            connection.close()
        case .hello, .welcome, .refuse:
            throw .repeatedHandshake(kind)
        case .open:
            multiplexer.opened(channel)
            try handler?.session(self, opens: channel, try Open(decoding: body))
        case .credit:
            receive(credit: try CreditMessage(decoding: body).bytes, channel)
        case .actorCall, .actorReply, .actorCancel, .actorElements, .actorCredit:
            guard let calls = multiplexer.channel(for: 0) else {
                throw .unexpected(kind, at: "a process that takes no calls")
            }
            try calls.receive(kind, body)
        case .close:
            guard !side.owns(channel) else { throw .unexpected(.close, at: "the side that opened its channel") }
            _ = try Close(decoding: body)
            multiplexer[channel]?.close()
            detach(channel)
            sendControl(Closed(code: .requested, reason: ""), on: channel)
            handler?.session(self, left: channel)
        default:
            if channel == 0 {
                try handler?.session(self, received: kind, body: body)
            } else if let attached = multiplexer.channel(for: channel) {
                try attached.receive(kind, body)
            } else {
                try handler?.session(self, received: kind, onUnattached: channel, body: body)
            }
        }
    }

    private func shakeHands(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {
        do throws(SessionError) {
            switch try state.shakeHands(kind, body, now: .now) {
            case .open(let peer, let welcome):
                // Also if this side has begun to end meanwhile: goodbye makes no sense without it.
                if let welcome {
                    output.withLock { if $0.phase != .ended { $0.queue.addControl(welcome) } }
                    flushSoon()
                }
                watchTime()
                handler?.sessionOpened(self, peer: peer)
            case .close(let refusal):
                close(behind: { queue in if let refusal { queue.addControl(refusal) } })
            }
        } catch {
            abort(error)
        }
    }

    // MARK: Time

    /// Sets the timer to the moment at which the state has something to do. On the event loop.
    private func watchTime() {
        if let timer { eventLoop.cancel(timer) }
        timer = state.due.map { due in
            eventLoop.at(due) { [self] in
                switch state.tick(now: .now) {
                case .nothing: break
                case .ping(let number): sendControl(Ping(number: number))
                case .late(let silence): handler?.session(self, isSilentFor: silence)
                case .silent(let silence):
                    if handler?.sessionExcusesSilence(self) != true { abort(.silent(silence)) }
                case .abort(let error): abort(error)
                }
                watchTime()
            }
        }
    }

    // MARK: Ending

    /// Writes what is waiting, says goodbye, and closes. Any thread.
    package func end(_ code: GoodbyeCode = .normal, reason: String = "") {
        output.withLock { output in
            if output.phase == .accepting { output.phase = .ending }
        }
        eventLoop.perform { [self] in
            guard let lastWord = state.end(Goodbye(code: code, reason: reason)) else { return }
            // Calls and answers that wait for room leave before the goodbye, too.
            let waiting = multiplexer[0]?.sessionEnds() ?? []
            close { queue in
                for message in waiting { queue.addData(message.kind, on: 0, body: message.body) }
                if case .goodbye(let goodbye) = lastWord { queue.addLast(goodbye) }
            }
        }
    }

    /// Ends the session because of a fault; the handler hears of it. Any thread; never from inside this call.
    package func abort(_ error: SessionError) {
        eventLoop.execute { [self] in
            if let lastWord = state.abort(error) {
                // Ahead of what waits: that is not waited for.
                close { queue in lastWord.message.map { queue.addControl($0) } }
            }
            // What the other side does not read is not waited for. Only what another thread is writing at this moment
            // is: it writes the last word too, if there is room.
            guard output.withLock({ $0.closesNow(error) }) else { return }
            if error.code != .transport {
                // It may have ended its write just now, without the last word.
                flush()
                guard output.withLock({ $0.closesNow(error) }) else { return }
            }
            connection.close()
        }
    }

    /// Adds the last frames, and closes when they are gone.
    private func close(behind addLastWord: (inout WriteQueue) -> Void) {
        output.withLock { output in
            addLastWord(&output.queue)
            output.phase = .ended
        }
        flush()
        if output.withLock(\.queue.isEmpty) { return connection.close() }
        // Whoever does not read is not waited for longer than whoever does not answer.
        eventLoop.after(milliseconds: state.closeLimitMilliseconds) { [connection] in connection.close() }
    }

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        let error = state.close(error.map(SessionError.transport))
        output.withLock { $0.close() }
        assembler.share = nil
        watchTime()
        for channel in multiplexer.removeAll() { channel.sessionEnded(self) }
        let handler = self.handler.take()
        handler?.sessionClosed(self, error: error)
    }
}
