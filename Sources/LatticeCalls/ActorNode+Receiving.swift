import LatticeConcurrency
import LatticeSession
import LatticeTransport
import LatticeWire

/// The handling of received messages, on the event loop.
extension ActorNode {
    func receive(_ call: ActorCall, over session: CallSession) throws(WireError) {
        let node = call.node.flatMap { NodeID($0) }
        let (step, target) = try core.withLock { core throws(WireError) in
            let step = try core.table.receive(call: call.call, for: node, call.callKind, on: session.id)
            guard case .passOn(let other, let number, _) = step else { return (step, nil as CallSession?) }
            let target = core.sessions[other]
            guard session.takesCalls else {
                core.table.abandon(number, on: other)
                return (.refuse(.unread), nil)
            }
            guard target?.hasRoom(for: call.arguments.count) == true else {
                core.table.abandon(number, on: other)
                return (.refuse(.overloaded), nil)
            }
            // The message is added under the lock, so that messages are sent in the order of their numbers.
            guard target?.append(call.passedOn(as: number, from: session.id)) == true else {
                core.table.abandon(number, on: other)
                return (.refuse(.lost), target)
            }
            return (step, target)
        }
        switch step {
        case .run(let isCancelled):
            // The call is cancelled, so its result is not needed.
            guard !isCancelled else {
                _ = core.withLock { $0.table.finish(call.call, on: session.id) }
                return refuse(call, CallFailure(.cancelled), over: session)
            }
            let weight = call.arguments.count + (call.context?.traceBytes ?? 0)
            let taken = TakenCall(call: call, context: CallContext(call.context), weight: weight)
            switch session.admit(taken) {
            case .begin: begin(taken, over: session)
            case .hold: break
            case .refuse:
                _ = core.withLock { $0.table.finish(call.call, on: session.id) }
                refuse(call, Undeliverable.overloaded.failure, over: session)
            }
        case .passOn(_, let number, let isCancelled):
            if isCancelled { target?.sendCancel(number) }
            target?.base.flushSoon()
        case .refuse(let refusal):
            if let target { unlist(target) }
            _ = core.withLock { $0.table.finish(call.call, on: session.id) }
            refuse(call, Undeliverable(refusal, title).failure, over: session)
        }
    }

    private func refuse(_ call: ActorCall, _ failure: CallFailure, over session: CallSession) {
        session.send(CallOutcome.failed(failure).reply(to: call.call), to: call.caller ?? CallOutbox.direct)
    }

    /// Begins an accepted call. It runs on the event loop, in the order in which the calls of a caller arrived.
    func begin(_ taken: TakenCall, over session: CallSession) {
        let call = taken.call
        let answer = IncomingCall(caller: .session(session, call.call), call, weight: taken.weight, node: self)
        // The call may have waited, and may have been cancelled meanwhile.
        guard !core.withLock({ $0.table.isCancelled(call.call, on: session.id) }) else {
            answer.end(CallOutcome.failure(.cancelled), isBegun: false)
            return mayBeIdle()
        }
        guard let run = begin(call, taken.context, answer) else { return }
        let goesOn = core.withLock { $0.table.began(call.call, on: session.id, run) }
        if !goesOn { run.cancel() }
    }

    /// Records that a call of an actor has ended here.
    private func callHasEnded() {
        mayBeIdle { $0.running -= 1 }
    }

    /// Calls the function that was passed to `drain`, if the node has become idle.
    ///
    /// - Parameter change: Changes the state of the node first, under its lock.
    func mayBeIdle(after change: (inout Core) -> Void = { _ in }) {
        let onIdle = core.withLock { core in
            change(&core)
            return core.onIdle
        }
        guard let onIdle, isIdle else { return }
        onIdle()
    }

    func receive(_ reply: ActorReply, over session: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(reply: reply.call, on: session.id)
        }
        switch step {
        case .own(let caller):
            if !caller.complete(CallOutcome(reply)) { core.withLock { $0.table.addLateReply() } }
        case .passOn(let other, let call): self.session(other)?.send(reply.to(call))
        case .drop: break
        }
    }

    func receive(_ elements: ActorElements, over session: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(elements: elements.call, bytes: elements.elements.count, on: session.id)
        }
        switch step {
        case .own(let caller): caller.receive(elements)
        case .passOn(let other, let call):
            guard let other = self.session(other) else { break }
            if other.append(ActorElements(call: call, elements: elements.elements)) { return other.base.flushSoon() }
            giveUp(call, on: other, to: CallOutbox.direct)
            session.sendCancel(elements.call)
        case .drop: break
        }
    }

    func receive(_ cancel: ActorCancel, over session: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(cancel: cancel.call, on: session.id)
        }
        switch step {
        case .own(let run): run.cancel()
        case .passOn(let other, let call): self.session(other)?.sendCancel(call)
        case .new:
            guard let taken = session.takeHeld(cancel.call) else { break }
            _ = core.withLock { $0.table.finish(cancel.call, on: session.id) }
            session.send(CallOutcome.failure(.cancelled).reply(to: cancel.call), to: taken.caller)
            mayBeIdle()
        case .nothing: break
        }
    }

    func receive(_ credit: ActorCredit, over session: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(credit: credit.call, bytes: Int(credit.bytes), on: session.id)
        }
        switch step {
        case .own(let run): run.give(credit: Int(credit.bytes))
        case .passOn(let other, let call, let bytes): self.session(other)?.sendCredit(UInt64(bytes), for: call)
        case .nothing: break
        }
    }

    private func session(_ id: SessionID) -> CallSession? { core.withLock { $0.sessions[id] } }

    /// Begins a call that is addressed to this node.
    ///
    /// - Returns: The running call, or `nil` if it has already been answered.
    func begin(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        guard answer.isCounted else { return beginOperation(call, context, answer) }
        let context = answer.subject?.span.map { context.within($0, isCurrent: true) } ?? context
        let (host, isDraining) = core.withLock { core in
            core.running += 1
            return (core.host, core.onIdle != nil)
        }
        if answer.subject != nil { report(answer, end: nil) }
        guard !isDraining else {
            answer.end(.draining(title))
            return nil
        }
        if case .operation = call.method {
            // Of the operations only questions to features are counted, and they have one method.
            answer.resolve()
            return beginOperation(call, context, answer)
        }
        if let host { return host.begin(call, context, answer) }
        answer.end(.noActor(call.actor, at: title))
        return nil
    }

    /// Answers a call.
    ///
    /// - Parameter isBegun: Whether the call was counted among the running calls.
    func answer(_ outcome: CallOutcome, to call: IncomingCall, isBegun: Bool) {
        defer { if call.isCounted, isBegun { callHasEnded() } }
        if let subject = call.subject {
            if isBegun { report(call, end: outcome.code) }
            subject.span?.end(SpanEnd(outcome))
        }
        switch call.caller {
        case .own(let pending):
            pending.complete(outcome)
        case .session(let session, let number):
            let isAwaited = core.withLock { $0.table.finish(number, on: session.id) }
            session.end(call, with: isAwaited ? outcome.reply(to: number) : nil)
        }
    }

    /// Ends a call whose caller does not read the stream with which it is answered.
    func giveUp(_ call: UInt64, on session: CallSession, to caller: UInt64) {
        let (isUnderWay, run) = core.withLock { $0.table.giveUp(call, on: session.id) }
        guard isUnderWay else { return }
        session.send(CallOutcome.unread.reply(to: call), to: caller)
        // The cancellation runs later, because the code that sends elements holds a lock that the cancelled call needs.
        if let run { session.base.eventLoop.execute { run.cancel() } }
    }
}

/// The reason why a call could not be sent.
struct Undeliverable: Error {
    let failure: CallFailure
    /// The session that has ended, if this is the reason.
    let session: CallSession?

    private init(code: ReplyCode, _ reason: String, session: CallSession? = nil) {
        failure = CallFailure(code, reason)
        self.session = session
    }

    /// Creates the error for a call that was refused.
    ///
    /// - Parameter lostHub: The reason why this process can no longer reach other processes, if this is so.
    init(_ refusal: CallRefusal, _ title: String, lostHub: String? = nil) {
        switch refusal {
        case .noNode where lostHub != nil: self.init(code: .noNode, lostHub ?? "")
        case .noNode: self.init(code: .noNode, "the \(title) does not know this process; it has ended or never existed")
        case .lost: self.init(code: .lost, "the process has ended")
        case .draining: self.init(code: .lost, "the process is about to end and accepts no more calls")
        case .overloaded: self = .overloaded
        case .unread:
            let reason =
                "more than \(CallLimits.backlogThreshold) bytes of answers to earlier calls have not been read; read"
                + " them before you make another call"
            self.init(code: .overloaded, reason)
        }
    }

    static let overloaded = Undeliverable(code: .overloaded, "too many calls are in progress; wait until some end")

    static func lost(_ session: CallSession) -> Undeliverable {
        Undeliverable(code: .lost, "the connection to the \(session.title) was lost", session: session)
    }

    static func tooLarge(_ bytes: Int) -> Undeliverable {
        Undeliverable(
            code: .tooLarge,
            "the arguments have \(bytes) bytes, but a call can send at most \(FrameLimits.maximumPayload); write the"
                + " data to a file and send the name of the file"
        )
    }

    static func longName(_ method: String) -> Undeliverable {
        Undeliverable(
            code: .noMethod,
            "the method's name has \(method.utf8.count) bytes, but a call can send at most"
                + " \(MessageLimits.maximumMethod); shorten the name"
        )
    }
}

extension ActorCall {
    /// The kind of the call. A question to a feature counts as a call of an actor, because it is the same kind of work.
    var callKind: CallRegistry<PendingCall, any RunningCall>.CallKind {
        switch method {
        case .named, .operation(.ask): .actor
        case .operation: .node
        }
    }

    /// Returns the call in the form in which the hub passes it on to the node of its actor.
    fileprivate func passedOn(as number: UInt64, from session: SessionID) -> ActorCall {
        var call = self
        call.call = number
        call.node = nil
        call.caller = session.number
        return call
    }
}
