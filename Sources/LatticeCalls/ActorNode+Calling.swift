import LatticeConcurrency
import LatticeSession
import LatticeWire

/// Calls that this node makes.
extension ActorNode {
    /// Makes a call and returns its answer.
    ///
    /// The call begins when its message has been queued for sending, so two calls of one task begin in order.
    /// Cancelling the calling task cancels the call, which then has ``cancelTimeout`` to answer.
    nonisolated(nonsending) package func call(_ call: consuming OutgoingCall) async -> CallAnswer {
        guard !Task.isCancelled else { return .outcome(.failure(.cancelled)) }
        guard let left = call.context.deadline.left else { return await answer(of: begin(call)) }
        guard left > .zero else { return .outcome(.deadlinePassed(mayHaveBegun: false)) }
        let pending = begin(call)
        let timer = TimerThread.shared.after(left) { self.end(pending, with: .deadlinePassed(mayHaveBegun: true)) }
        let answer = await answer(of: pending, timer: timer)
        if case .outcome = answer { TimerThread.shared.cancel(timer) }
        return answer
    }

    /// Makes a call of a node itself, not of one of its actors, and returns the outcome.
    nonisolated(nonsending) package func ask(_ call: OutgoingCall) async -> CallOutcome {
        switch await self.call(call) {
        case .outcome(let outcome): outcome
        case .stream:
            .failure(
                .refused,
                "the node answered with a stream instead of an outcome",
                mayHaveBegun: true
            )
        }
    }

    /// Makes a call without waiting for the answer, and returns when its message has been queued for sending.
    ///
    /// - Parameter onEnd: Called once with the outcome, on any thread.
    /// - Returns: The error, or `nil` if the call was sent. After an error `onEnd` is not called.
    package func send(_ call: OutgoingCall, onEnd: @escaping @Sendable (CallOutcome) -> Void) -> CallFailure? {
        guard call.context.deadline.left.map({ $0 > .zero }) ?? true else {
            return .deadlinePassed(mayHaveBegun: false)
        }
        var call = call
        let span = call.beginSpan(at: self)
        do throws(Undeliverable) {
            try begin(call, as: PendingCall(span: span, onEnd: onEnd))
            return nil
        } catch {
            span?.end(SpanEnd(.failed(error.failure)))
            return error.failure
        }
    }

    nonisolated(nonsending) private func answer(of pending: PendingCall, timer: Timers.Key? = nil) async -> CallAnswer {
        return switch await answerUnlessCancelled(pending) {
        case .outcome(let outcome): .outcome(outcome)
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
        // This is the form that programs from before Swift 6 are linked with. The newer form asks twice more which
        // executor the task prefers, and each time takes a lock. This form makes 7 % more calls per second in
        // `lattice-bench actors`.
        await _unsafeInheritExecutor_withTaskCancellationHandler {
            await pending.answer()
        } onCancel: {
            cancel(pending)
        }
        #endif
    }

    private func begin(_ call: consuming OutgoingCall) -> PendingCall {
        let span = call.beginSpan(at: self)
        let pending = PendingCall(tracker: call.tracker, span: span)
        do throws(Undeliverable) {
            try begin(call, as: pending)
        } catch {
            pending.complete(.failed(error.failure))
        }
        return pending
    }

    private func begin(_ call: consuming OutgoingCall, as pending: PendingCall) throws(Undeliverable) {
        guard call.node != id else {
            let context = call.context
            let message = call.message()
            pending.run = begin(
                message,
                context,
                IncomingCall(caller: .own(pending), message, weight: 0, node: self)
            )
            return
        }
        do throws(Undeliverable) {
            try send(pending, call).flushSoon()
        } catch {
            if let session = error.session { unlist(session) }
            throw error
        }
    }

    private func send(_ pending: PendingCall, _ call: consuming OutgoingCall) throws(Undeliverable) -> Session {
        let node = call.node
        var message = call.message()
        let bytes = message.arguments.count
        guard bytes <= FrameLimits.maximumPayload else { throw .tooLarge(bytes) }
        let method = message.method.name
        guard method.utf8.count <= MessageLimits.maximumMethod else { throw .longName(method) }
        return try core.withLock { core throws(Undeliverable) in
            let (id, number): (SessionID, UInt64)
            do throws(CallRefusal) {
                (id, number) = try core.table.send(pending, to: node, message.callKind)
            } catch {
                throw Undeliverable(error, title, lostHub: core.lostHub)
            }
            guard let session = core.sessions[id], session.hasRoom(for: bytes) else {
                core.table.abandon(number, on: id)
                throw .overloaded
            }
            message.call = number
            // The call names its node if the peer must pass it on.
            if !core.table.reaches(node, over: id) { message.node = node.bytes }
            guard session.append(message) else {
                core.table.abandon(number, on: id)
                throw .lost(session)
            }
            pending.place = (id, number)
            return session.base
        }
    }

    /// Lets the other side send more of a stream.
    func grant(_ bytes: Int, for pending: PendingCall) {
        if let run = pending.run { run.give(credit: bytes) }
        guard let (id, number) = pending.place else { return }
        let (session, granted) = core.withLock { ($0.sessions[id], $0.table.grant(bytes, to: number, on: id)) }
        if granted > 0 { session?.sendCredit(UInt64(granted), for: number) }
    }

    /// Cancels a call of this node. The call ends after ``cancelTimeout`` if it has not been answered by then.
    func cancel(_ pending: PendingCall) {
        pending.cancel()
        if let run = pending.run { run.cancel() }
        if let (id, number) = pending.place {
            let session = core.withLock { $0.table.waits(number, on: id) ? $0.sessions[id] : nil }
            session?.sendCancel(number)
        }
        TimerThread.shared.after(cancelTimeout) {
            self.end(pending, with: .failure(.cancelled, mayHaveBegun: true))
        }
    }

    /// Ends the wait of the caller. The call itself stays in progress until its answer comes, as it does on the other
    /// side.
    private func end(_ pending: PendingCall, with outcome: CallOutcome) {
        pending.cancel()
        let run = pending.run
        // The cancel is sent first, so that it is ahead of the messages that the caller sends next.
        if outcome.code == .deadline, let (id, number) = pending.place {
            pending.expire(outcome)
            let session = core.withLock { $0.table.waits(number, on: id) ? $0.sessions[id] : nil }
            session?.sendCancel(number)
        }
        if pending.giveUp(outcome) { run?.cancel() }
    }
}

/// The answer to a call.
package enum CallAnswer: Sendable {
    /// A single outcome.
    case outcome(CallOutcome)
    /// A stream of elements. The outcome follows the last element.
    case stream(IncomingStream)
}
