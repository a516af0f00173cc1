import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// A connection with the Lattice protocol: a handshake, frames in both directions on two lanes, liveness checks, an
/// orderly end, and routing to channels.
///
/// You can send from any thread, and sending never blocks. The calling thread writes as much as the socket accepts, and
/// the rest waits in a bounded queue. On the event loop's thread, frames are collected and written together at the end
/// of the tick. Messages are received on the event loop. ``SessionState`` holds the phase of the session.
package final class Session: ConnectionHandler, TickObserver, Sendable {
    /// The number of requests to flush in one tick of the event loop after which a write is made at once.
    private static let flushRequestsPerWrite = 64

    /// What `change` did with the frames.
    private enum Adding { case accepted, overLimit(Int), closed }

    /// The connection that carries the session.
    package let connection: any Connection
    /// The event loop on which the session receives messages and calls its handler and its channels.
    package let eventLoop: any EventLoop
    let output: Locked<SessionOutput>
    private let assembly: AssemblyBudget?
    private let side: SessionSide

    /// What belongs to the event loop.
    struct LoopState {
        /// The owner, released at the end. A weak reference would slow down every other reference to the handler.
        var handler: (any SessionHandler)?
        var multiplexer = Multiplexer()
        var decoder = FrameDecoder()
        var assembler: MessageAssembler
        var parts: PartReceiver
        var isFlushRegistered = false
        var isFairFlushRegistered = false
        var flushRequestsInTick = 0
        var timer: EventLoopTimer?
        // The last property, because its size is only known at run time, which slows down access to later ones.
        var state: SessionState
    }

    let loopState: LoopBound<LoopState>

    /// Creates a session over a connection. Call ``start()`` to begin.
    ///
    /// - Parameters:
    ///   - liveness: The times for checking that the other side is alive, or `nil` for no checks.
    ///   - handshakeTimeout: The time that the handshake may take, or `nil` for no limit.
    ///   - maximumPayload: The size in bytes of the largest payload that is received in parts, or 0 to accept none.
    ///   - assembly: A memory budget for incomplete messages, which this session shares with others.
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
        self.side = side.place
        let loopState = LoopState(
            handler: handler,
            assembler: MessageAssembler(from: side.place.other),
            parts: PartReceiver(maximumPayload: maximumPayload),
            state: SessionState(side, handshakeTimeout: handshakeTimeout, liveness: liveness, now: .now)
        )
        self.loopState = LoopBound(loopState, to: eventLoop.thread)
        output = Locked(SessionOutput(queue: WriteQueue(limits: limits)))
        self.assembly = assembly
    }

    /// Begins the handshake. Call this method once. You can call it on any thread.
    package func start() {
        eventLoop.execute { [self] in
            if let hello = loopState.value.state.start() { sendControl(hello) }
            // This keeps the session until the connection is closed. A weak reference would slow down every other one.
            loopState.value.assembler.share = assembly?.join { [self] error in abort(.receiving(error)) }
            connection.start(handler: self)
            watchTime()
        }
    }

    // MARK: Sending

    /// Adds frames under the session's lock, and writes what the socket accepts. Returns `false` once the session ends.
    @discardableResult
    package func send(_ add: (inout WriteQueue) throws -> Void) rethrows -> Bool {
        let added = try append(add)
        flushSoon()
        return added
    }

    /// Adds frames without writing them. Returns `false` once the session is ending. Call ``flushSoon()`` afterwards,
    /// outside any lock of your own.
    @discardableResult
    package func append(_ add: (inout WriteQueue) throws -> Void) rethrows -> Bool {
        try change { try add(&$0.queue) }
    }

    /// Adds an event whose sender is this process, without writing it. Events are sent more often than anything else.
    /// The method takes no closure, so that no reference counts of captured values change.
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

    /// Adds a control message and writes it.
    package func sendControl(_ message: some WireMessageBody, on channel: UInt32 = 0) {
        send { $0.addControl(message, on: channel) }
    }

    // MARK: Writing

    /// Writes at the end of the event loop's tick, or at once when called on another thread.
    ///
    /// While the event loop is in a tick, other threads leave the writing to it. Frames that several threads add in the
    /// meantime, or that one thread adds in a row, are then written together.
    package func flushSoon() {
        guard eventLoop.isCurrent else {
            if !deferFlush(waking: false) { flush() }
            return
        }
        loopState.value.flushRequestsInTick += 1
        if loopState.value.flushRequestsInTick == Self.flushRequestsPerWrite {
            // A long tick must not delay what the other side receives.
            loopState.value.flushRequestsInTick = 0
            return flush()
        }
        guard !loopState.value.isFlushRegistered else { return }
        loopState.value.isFlushRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// Leaves the writing to the event loop, which writes everything that is added until then together. Senders with
    /// many messages in progress gain more from fewer system calls than from an early write.
    package func flushOnEventLoop() {
        if eventLoop.isCurrent { flushSoon() } else { _ = deferFlush(waking: true) }
    }

    /// Writes soon. If many sessions have the same change to send, the event loop handles other input between their
    /// writes, so that the next change is not delayed and may be written with this one. Call it on the event loop.
    package func fairFlush() {
        guard !loopState.value.isFairFlushRegistered else { return }
        loopState.value.isFairFlushRegistered = true
        eventLoop.fairFlush(self)
    }

    package func tickEnded() {
        loopState.value.isFlushRegistered = false
        loopState.value.isFairFlushRegistered = false
        loopState.value.flushRequestsInTick = 0
        flush()
    }

    /// Asks the event loop to write, and returns whether it will. An idle loop is woken only if `waking` is `true`.
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

    /// Writes as much as the socket accepts now. You can call it on any thread.
    package func flush() {
        while true {
            let written: Int
            do throws(TransportError) {
                guard let count = try writeBatch() else { return }
                written = count
            } catch {
                // A closed connection calls `connectionClosed` after it has delivered the bytes that it can still read.
                // Any other error is a failure on this side, after which nothing can be written.
                if error.code != .closed, error.code != .peerClosed { abort(.transport(error)) }
                if output.withLock(\.closesAfterWrite) { connection.close() }
                return
            }
            let (goesOn, isDone, drained) = output.withLock { output in
                let goesOn = output.queue.finishWriting(written)
                return (goesOn, output.isDone(goesOn: goesOn), output.takeDrained())
            }
            if isDone { connection.close() }
            if !drained.isEmpty {
                eventLoop.execute { [self] in
                    for number in drained { loopState.value.multiplexer[number]?.sessionDrained() }
                    if drained.contains(0) { loopState.value.handler?.sessionDrained(self) }
                }
            }
            if !goesOn { return }
        }
    }

    /// Writes one batch, and returns the number of bytes that the socket accepted, or `nil` if there is nothing to
    /// write, the socket is full, or another thread is writing. A function of its own releases the batch before the
    /// queue is updated. The queue then owns its buffers alone, and changes them without a copy.
    private func writeBatch() throws(TransportError) -> Int? {
        guard let batch = output.withLock({ $0.queue.startWriting() }) else { return nil }
        return try connection.write(batch)
    }

    package func connectionWritable(_ connection: any Connection) {
        if output.withLock({ $0.queue.connectionIsWritable() }) { flush() }
    }

    // MARK: Receiving

    package func connection(_ connection: any Connection, received bytes: UnsafeRawBufferPointer) {
        do throws(WireError) {
            try loopState.value.decoder.feed(bytes) { header, body throws(WireError) in
                let accepted = loopState.value.state.acceptedMessages
                if accepted == .nothing { return }
                // During the handshake no incomplete message is kept for an unknown peer. Messages of kinds that this
                // version does not know are skipped.
                if accepted == .handshake, header.flags.contains(.more), MessageKind(rawValue: header.kind) != nil {
                    throw .beforeHandshake(kind: header.kind)
                }
                try loopState.value.assembler.receive(header, body) { kind, channel, message throws(WireError) in
                    try receive(kind, channel, message)
                }
            }
        } catch {
            abort(.receiving(error))
        }
    }

    private func receive(_ kind: MessageKind, _ channel: UInt32, _ body: UnsafeRawBufferPointer) throws(WireError) {
        guard loopState.value.state.acceptedMessages == .messages else { return shakeHands(kind, body) }
        if kind.lane == .data, channel != 0, try receivesInParts(kind, channel, body) { return }
        switch kind {
        case .ping:
            let number = try Ping(decoding: body).number
            loopState.value.handler?.session(
                self,
                isAsked: { [self] in sendControl(Pong(number: number, problem: $0)) }
            )
        case .pong:
            let pong = try Pong(decoding: body)
            if loopState.value.state.receive(pong: pong.number, now: .now) {
                loopState.value.handler?.sessionAnswersAgain(self)
            }
            if pong.number != Pong.unasked { loopState.value.handler?.session(self, hasProblem: pong.problem) }
        case .goodbye:
            loopState.value.state.receive(try Goodbye(decoding: body))
            output.withLock { $0.phase = .ended }
            connection.close()
        case .hello, .welcome, .refuse:
            throw .repeatedHandshake(kind)
        case .open:
            loopState.value.multiplexer.opened(channel)
            try loopState.value.handler?.session(self, opens: channel, try Open(decoding: body))
        case .credit:
            receive(credit: try CreditMessage(decoding: body).bytes, channel)
        case .actorCall, .actorReply, .actorCancel, .actorElements, .actorCredit, .namePublish, .nameWithdraw,
            .nameWatch, .nameUnwatch, .nameList:
            guard let calls = loopState.value.multiplexer.channel(for: 0) else {
                throw .unexpected(kind, at: "a process that takes no calls")
            }
            try calls.receive(kind, body)
        case .close:
            guard !side.owns(channel) else { throw .unexpected(.close, at: "the side that opened its channel") }
            _ = try Close(decoding: body)
            loopState.value.multiplexer[channel]?.close()
            detach(channel)
            sendControl(Closed(code: .requested, reason: ""), on: channel)
            loopState.value.handler?.session(self, left: channel)
        default:
            if channel == 0 {
                try loopState.value.handler?.session(self, received: kind, body: body)
            } else if let attached = loopState.value.multiplexer.channel(for: channel) {
                try attached.receive(kind, body)
            } else {
                try loopState.value.handler?.session(self, received: kind, onUnattached: channel, body: body)
            }
        }
    }

    private func shakeHands(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) {
        do throws(SessionError) {
            switch try loopState.value.state.shakeHands(kind, body, now: .now) {
            case .open(let peer, let welcome):
                // The welcome is sent even if this side is ending, because a goodbye must follow a welcome.
                if let welcome {
                    output.withLock { if $0.phase != .ended { $0.queue.addControl(welcome) } }
                    flushSoon()
                }
                watchTime()
                loopState.value.handler?.sessionOpened(self, peer: peer)
            case .close(let refusal):
                close(after: { queue in if let refusal { queue.addControl(refusal) } })
            }
        } catch {
            abort(error)
        }
    }

    // MARK: Ending

    /// Writes all waiting frames, sends a goodbye, and closes the connection. You can call it on any thread.
    package func end(_ code: GoodbyeCode = .normal, reason: String = "") {
        output.withLock { output in
            if output.phase == .accepting { output.phase = .ending }
        }
        eventLoop.perform { [self] in
            guard let finalMessage = loopState.value.state.end(Goodbye(code: code, reason: reason)) else { return }
            // Calls and answers that wait for room are sent before the goodbye, too.
            let waiting = loopState.value.multiplexer[0]?.sessionEnds() ?? []
            close { queue in
                for message in waiting { queue.addData(message.kind, on: 0, body: message.body) }
                if case .goodbye(let goodbye) = finalMessage { queue.addLast(goodbye) }
            }
        }
    }

    /// Ends the session with an error, which the handler receives later. You can call it on any thread.
    package func abort(_ error: SessionError) {
        eventLoop.execute { [self] in
            if let finalMessage = loopState.value.state.abort(error) {
                // The final message is sent ahead of the waiting frames, for which the session does not wait.
                close { queue in finalMessage.message.map { queue.addControl($0) } }
            }
            // The session does not wait for a peer that does not read. It only waits for a write that another thread is
            // making at this moment. That thread also writes the final message, if there is room.
            guard output.withLock({ $0.closesNow(error) }) else { return }
            if error.code != .transport {
                // The other thread may just have finished its write, without the final message.
                flush()
                guard output.withLock({ $0.closesNow(error) }) else { return }
            }
            connection.close()
        }
    }

    /// Adds the final frames, and closes the connection when they have been written.
    private func close(after addFinalMessage: (inout WriteQueue) -> Void) {
        output.withLock { output in
            addFinalMessage(&output.queue)
            output.phase = .ended
        }
        flush()
        if output.withLock(\.queue.isEmpty) { return connection.close() }
        // A peer that does not read is given no more time than a peer that does not answer.
        let timeout = loopState.value.state.closeTimeoutMilliseconds
        eventLoop.after(milliseconds: timeout) { [connection] in connection.close() }
    }

    /// A Boolean value that indicates whether the session has ended with a goodbye that names no problem. If only the
    /// connection has ended, as it does when a process is killed, it is false. Read it on the event loop.
    package var hasEndedWithGoodbye: Bool { loopState.value.state.hasEndedWithGoodbye }

    package func connectionClosed(_ connection: any Connection, error: TransportError?) {
        let error = loopState.value.state.close(error.map(SessionError.transport))
        output.withLock { $0.close() }
        loopState.value.assembler.share = nil
        watchTime()
        for channel in loopState.value.multiplexer.removeAll() { channel.sessionEnded(self) }
        let handler = loopState.value.handler.take()
        handler?.sessionClosed(self, error: error)
    }
}
