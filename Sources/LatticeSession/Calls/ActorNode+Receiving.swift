import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// What comes over sessions, on the event loop.
extension ActorNode {
    func receive(_ call: ActorCall, over link: CallSession) throws(WireError) {
        let node = call.node.flatMap { NodeID($0) }
        let (step, target) = try core.withLock { core throws(WireError) in
            let step = try core.table.receive(call: call.call, for: node, call.errand, on: link.id)
            guard case .passOn(let other, let number, _) = step else { return (step, nil as CallSession?) }
            let target = core.links[other]
            guard link.takesCalls else {
                core.table.abandon(number, on: other)
                return (.refuse(.unread), nil)
            }
            guard target?.hasRoom(for: call.arguments.count) == true else {
                core.table.abandon(number, on: other)
                return (.refuse(.overloaded), nil)
            }
            // Under the lock, so that the numbers ascend on their way.
            guard target?.append(call.passedOn(as: number, from: link.id)) == true else {
                core.table.abandon(number, on: other)
                return (.refuse(.lost), target)
            }
            return (step, target)
        }
        switch step {
        case .run(let isCancelled):
            // Nobody needs what it would do.
            guard !isCancelled else {
                _ = core.withLock { $0.table.finish(call.call, on: link.id) }
                return link.send(ActorReply(call: call.call, code: .cancelled), to: call.caller ?? CallOutbox.direct)
            }
            let weight = call.arguments.count + (call.context?.traceBytes ?? 0)
            let taken = TakenCall(call: call, terms: CallContext(call.context), weight: weight)
            switch link.take(taken) {
            case .begin: begin(taken, over: link)
            case .hold: break
            case .refuse:
                _ = core.withLock { $0.table.finish(call.call, on: link.id) }
                link.send(Undeliverable.overloaded.reply.to(call.call), to: taken.caller)
            }
        case .passOn(_, let number, let isCancelled):
            if isCancelled { target?.sendCancel(number) }
            target?.session.flushSoon()
        case .refuse(let refusal):
            if let target { unlist(target) }
            _ = core.withLock { $0.table.finish(call.call, on: link.id) }
            link.send(Undeliverable(refusal, title).reply.to(call.call), to: call.caller ?? CallOutbox.direct)
        }
    }

    /// Begins a call that was taken. On the event loop, in the order in which the calls of a caller came.
    func begin(_ taken: TakenCall, over link: CallSession) {
        let call = taken.call
        let answer = IncomingCall(caller: .link(link, call.call), call, weight: taken.weight, node: self)
        // It may have waited for a while.
        guard !core.withLock({ $0.table.isCancelled(call.call, on: link.id) }) else {
            answer.end(ActorReply(call: 0, code: .cancelled), isBegun: false)
            return mayBeIdle()
        }
        guard let run = begin(call, taken.terms, answer) else { return }
        let goesOn = core.withLock { $0.table.began(call.call, on: link.id, run) }
        if !goesOn { run.cancel() }
    }

    /// A call of an actor has ended here.
    private func callHasEnded() {
        mayBeIdle { $0.running -= 1 }
    }

    /// Something has ended here, or gone out.
    ///
    /// - Parameter change: Under the lock, before.
    func mayBeIdle(after change: (inout Core) -> Void = { _ in }) {
        let onIdle = core.withLock { core in
            change(&core)
            return core.onIdle
        }
        guard let onIdle, isIdle else { return }
        onIdle()
    }

    func receive(_ reply: ActorReply, over link: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(reply: reply.call, on: link.id)
        }
        switch step {
        case .own(let caller):
            if !caller.complete(reply) { core.withLock { $0.table.addLateReply() } }
        case .passOn(let other, let call): self.link(other)?.send(reply.to(call))
        case .drop: break
        }
    }

    func receive(_ elements: ActorElements, over link: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(elements: elements.call, bytes: elements.elements.count, on: link.id)
        }
        switch step {
        case .own(let caller): caller.receive(elements)
        case .passOn(let other, let call):
            guard let other = self.link(other) else { break }
            if other.append(ActorElements(call: call, elements: elements.elements)) { return other.session.flushSoon() }
            giveUp(call, on: other, to: CallOutbox.direct)
            link.sendCancel(elements.call)
        case .drop: break
        }
    }

    func receive(_ cancel: ActorCancel, over link: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(cancel: cancel.call, on: link.id)
        }
        switch step {
        case .own(let run): run.cancel()
        case .passOn(let other, let call): self.link(other)?.sendCancel(call)
        case .new:
            guard let taken = link.takeHeld(cancel.call) else { break }
            _ = core.withLock { $0.table.finish(cancel.call, on: link.id) }
            link.send(ActorReply(call: cancel.call, code: .cancelled), to: taken.caller)
            mayBeIdle()
        case .nothing: break
        }
    }

    func receive(_ credit: ActorCredit, over link: CallSession) throws(WireError) {
        let step = try core.withLock { core throws(WireError) in
            try core.table.receive(credit: credit.call, bytes: Int(credit.bytes), on: link.id)
        }
        switch step {
        case .own(let run): run.give(credit: Int(credit.bytes))
        case .passOn(let other, let call, let bytes): self.link(other)?.sendCredit(UInt64(bytes), for: call)
        case .nothing: break
        }
    }

    private func link(_ id: SessionID) -> CallSession? { core.withLock { $0.links[id] } }

    /// Begins a call that is for this node.
    ///
    /// - Returns: What runs; nil: it has been answered.
    func begin(_ call: ActorCall, _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        guard answer.isCounted else { return beginOwn(call, terms, answer) }
        let (host, isDraining) = core.withLock { core in
            core.running += 1
            return (core.host, core.onIdle != nil)
        }
        guard !isDraining else {
            answer.end(.draining(title))
            return nil
        }
        if call.actor == 0 { return beginOwn(call, terms, answer) }
        if let host { return host.begin(call, terms, answer) }
        answer.end(.noActor(call.actor, at: title))
        return nil
    }

    /// - Parameter isBegun: Whether it was counted among what runs.
    func answer(_ reply: ActorReply, to call: IncomingCall, isBegun: Bool) {
        defer { if call.isCounted, isBegun { callHasEnded() } }
        switch call.caller {
        case .own(let pending):
            pending.complete(reply)
        case .link(let link, let number):
            let isAwaited = core.withLock { $0.table.finish(number, on: link.id) }
            link.end(call, with: isAwaited ? reply.to(number) : nil)
        }
    }

    /// Ends a call whose caller does not read the elements with which it is answered.
    func giveUp(_ call: UInt64, on link: CallSession, to caller: UInt64) {
        let (isUnderWay, run) = core.withLock { $0.table.giveUp(call, on: link.id) }
        guard isUnderWay else { return }
        link.send(ActorReply.unread.to(call), to: caller)
        // Later: whoever sends elements holds the lock of what is cancelled.
        if let run { link.session.eventLoop.execute { run.cancel() } }
    }
}

/// Why a call did not get away.
struct Undeliverable: Error {
    let reply: ActorReply
    /// The session that has ended, if that is why.
    let link: CallSession?

    private init(code: ReplyCode, _ reason: String, link: CallSession? = nil) {
        reply = ActorReply(call: 0, code: code, reason: reason)
        self.link = link
    }

    /// - Parameter lostHub: Why the process does not reach others any more, if that is so.
    init(_ refusal: CallRefusal, _ title: String, lostHub: String? = nil) {
        switch refusal {
        case .noNode where lostHub != nil: self.init(code: .noNode, lostHub ?? "")
        case .noNode: self.init(code: .noNode, "the \(title) knows no such process; it has ended, or never was")
        case .lost: self.init(code: .lost, "the process has ended")
        case .leaving: self.init(code: .lost, "the process takes no calls any more, as it is about to end")
        case .overloaded: self = .overloaded
        case .unread:
            let reason =
                "more than \(CallLimits.maximumWaiting) bytes of answers to earlier calls wait to be read; read them"
                + " before you call again"
            self.init(code: .overloaded, reason)
        }
    }

    static let overloaded = Undeliverable(code: .overloaded, "too many calls are under way; wait for some to end")

    static func lost(_ link: CallSession) -> Undeliverable {
        Undeliverable(code: .lost, "the connection to the \(link.title) was lost", link: link)
    }

    static func tooLarge(_ bytes: Int) -> Undeliverable {
        Undeliverable(
            code: .tooLarge,
            "the arguments have \(bytes) bytes, and at most \(FrameLimits.maximumPayload) are sent; put them into a file"
                + " whose name is sent"
        )
    }

    static func longName(_ method: String) -> Undeliverable {
        Undeliverable(
            code: .noMethod,
            "the method's name has \(method.utf8.count) bytes, and at most \(MessageLimits.maximumMethod) are sent"
        )
    }
}

extension ActorCall {
    /// A question to a feature is work as that of an actor.
    var errand: CallRegistry<PendingCall, any RunningCall>.CallKind {
        actor != 0 || method == NodeMethod.ask.rawValue ? .actor : .node
    }

    /// The same on its way from who knows all nodes to its own.
    fileprivate func passedOn(as number: UInt64, from link: SessionID) -> ActorCall {
        var call = self
        call.call = number
        call.node = nil
        call.caller = link.number
        return call
    }
}

extension ActorReply {
    /// The same as the answer to another number.
    func to(_ call: UInt64) -> ActorReply {
        var reply = self
        reply.call = call
        return reply
    }

    package static func deadlinePassed(mayHaveBegun: Bool) -> ActorReply {
        ActorReply(call: 0, code: .deadline, reason: "the deadline passed", mayHaveBegun: mayHaveBegun)
    }

    /// In the place of an answer for which there is no room, as its caller does not read.
    static let unread = ActorReply(
        call: 0,
        code: .overloaded,
        reason:
            "\(CallLimits.maximumWaiting) bytes of answers wait to be read, and no more are kept; read them sooner, or"
            + " call less at once",
        mayHaveBegun: true
    )

    package static func draining(_ title: String) -> ActorReply {
        ActorReply(call: 0, code: .lost, reason: "the \(title) takes no calls any more, as it is about to end")
    }

    package static func noActor(_ number: UInt64, at title: String) -> ActorReply {
        ActorReply(
            call: 0,
            code: .noActor,
            reason: "the \(title) has no actor \(number); it has ended, or never was"
        )
    }
}
