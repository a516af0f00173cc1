import LatticeConcurrency
package import LatticeWire

/// Calls that this node makes.
extension ActorNode {
    /// Makes a call, and returns how it is answered. It has begun when its message is on its way: two calls of one task
    /// begin in their order.
    ///
    /// Cancelling the calling task cancels the call, which then has ``cancelTimeout`` to say how it ends.
    nonisolated(nonsending) package func call(_ call: consuming OutgoingCall) async -> CallAnswer {
        guard !Task.isCancelled else { return .reply(ActorReply(call: 0, code: .cancelled)) }
        guard let left = call.terms.deadline.left else { return await answer(of: begin(call)) }
        guard left > .zero else { return .reply(.deadlinePassed(mayHaveBegun: false)) }
        let pending = begin(call)
        let timer = TimerThread.shared.after(left) { self.end(pending, with: .deadlinePassed(mayHaveBegun: true)) }
        let answer = await answer(of: pending, timer: timer)
        if case .reply = answer { TimerThread.shared.cancel(timer) }
        return answer
    }

    /// Makes a call of a node itself, and returns how it ended.
    nonisolated(nonsending) package func ask(_ call: OutgoingCall) async -> ActorReply {
        switch await self.call(call) {
        case .reply(let reply): reply
        case .stream: ActorReply(call: 0, code: .refused, reason: "it was answered with a stream", mayHaveBegun: true)
        }
    }

    /// Makes a call for whose answer nobody waits, and returns when its message is on its way.
    ///
    /// - Parameter onEnd: Hears how it ended, once, on any thread.
    /// - Returns: Why it is not sent; then nobody hears of an end. nil: it is.
    package func send(_ call: OutgoingCall, onEnd: @escaping @Sendable (ActorReply) -> Void) -> ActorReply? {
        guard call.terms.deadline.left.map({ $0 > .zero }) ?? true else { return .deadlinePassed(mayHaveBegun: false) }
        do throws(Undeliverable) {
            try begin(call, as: PendingCall(onEnd: onEnd))
            return nil
        } catch {
            return error.reply
        }
    }

    nonisolated(nonsending) private func answer(of pending: PendingCall, timer: Timers.Key? = nil) async -> CallAnswer {
        return switch await answerUnlessCancelled(pending) {
        case .reply(let reply): .reply(reply)
        case .stream(let elements): .stream(IncomingStream(elements, of: pending, at: self, timer: timer))
        }
    }

    nonisolated(nonsending) private func answerUnlessCancelled(_ pending: PendingCall) async -> PendingCall.Answer {
        #if compiler(>=6.4)
        await withTaskCancellationHandler {
            await pending.answer()
        } onCancel: {
            cancel(pending)
        }
        #else
        // The form that programs from before Swift 6 are linked with. It does not ask twice more which executor the
        // task prefers, which takes a lock: 7 % more calls a second of `latticectl bench actors`.
        await _unsafeInheritExecutor_withTaskCancellationHandler {
            await pending.answer()
        } onCancel: {
            cancel(pending)
        }
        #endif
    }

    private func begin(_ call: consuming OutgoingCall) -> PendingCall {
        let pending = PendingCall(tracker: call.tracker)
        do throws(Undeliverable) {
            try begin(call, as: pending)
        } catch {
            pending.complete(error.reply)
        }
        return pending
    }

    private func begin(_ call: consuming OutgoingCall, as pending: PendingCall) throws(Undeliverable) {
        guard call.node != id else {
            let terms = call.terms
            let message = call.message()
            pending.run = begin(
                message,
                terms,
                IncomingCall(caller: .own(pending), message, weight: 0, node: self)
            )
            return
        }
        do throws(Undeliverable) {
            try send(pending, call).flushSoon()
        } catch {
            if let link = error.link { unlist(link) }
            throw error
        }
    }

    private func send(_ pending: PendingCall, _ call: consuming OutgoingCall) throws(Undeliverable) -> Session {
        let node = call.node
        var message = call.message()
        let bytes = message.arguments.count
        guard bytes <= FrameLimits.maximumPayload else { throw .tooLarge(bytes) }
        guard message.method.utf8.count <= MessageLimits.maximumMethod else { throw .longName(message.method) }
        return try core.withLock { core throws(Undeliverable) in
            let (id, number): (SessionID, UInt64)
            do throws(CallRefusal) {
                (id, number) = try core.table.send(pending, to: node, message.errand)
            } catch {
                throw Undeliverable(error, title, lostHub: core.lostHub)
            }
            guard let link = core.links[id], link.hasRoom(for: bytes) else {
                core.table.abandon(number, on: id)
                throw .overloaded
            }
            message.call = number
            // What is not this session's own has to be passed on.
            if !core.table.reaches(node, over: id) { message.node = node.bytes }
            guard link.append(message) else {
                core.table.abandon(number, on: id)
                throw .lost(link)
            }
            pending.place = (id, number)
            return link.session
        }
    }

    /// Lets the other side send more of a stream.
    func grant(_ bytes: Int, for pending: PendingCall) {
        if let run = pending.run { run.give(credit: bytes) }
        guard let (id, number) = pending.place else { return }
        let (link, granted) = core.withLock { ($0.links[id], $0.table.grant(bytes, to: number, on: id)) }
        if granted > 0 { link?.sendCredit(UInt64(granted), for: number) }
    }

    func cancel(_ pending: PendingCall) {
        pending.cancel()
        if let run = pending.run { run.cancel() }
        if let (id, number) = pending.place {
            let link = core.withLock { $0.table.waits(number, on: id) ? $0.links[id] : nil }
            link?.sendCancel(number)
        }
        TimerThread.shared.after(cancelTimeout) {
            self.end(pending, with: ActorReply(call: 0, code: .cancelled, mayHaveBegun: true))
        }
    }

    /// The caller waits no longer. The call is under way until its answer comes, as it is at the other side.
    private func end(_ pending: PendingCall, with reply: ActorReply) {
        pending.cancel()
        let run = pending.run
        // First, so that what the caller does next comes behind it.
        if reply.code == .deadline, let (id, number) = pending.place {
            let link = core.withLock { $0.table.waits(number, on: id) ? $0.links[id] : nil }
            link?.sendCancel(number)
        }
        if pending.giveUp(reply) { run?.cancel() }
    }
}

/// How a call is answered.
package enum CallAnswer: Sendable {
    case reply(ActorReply)
    /// Its reply comes behind the last element.
    case stream(IncomingStream)
}
