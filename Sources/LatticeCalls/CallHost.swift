import LatticeConcurrency
package import LatticeSession
import LatticeTransport
package import LatticeWire
import Synchronization

/// An object that runs the calls of a node's actors.
package protocol CallHost: AnyObject, Sendable {
    /// Begins a call that was received. It is called on the event loop, in the order in which the calls arrived.
    ///
    /// - Parameters:
    ///   - call: The call, with its encoded arguments.
    ///   - context: The deadline, the trace and the event of the call.
    ///   - answer: Receives the answer once.
    /// - Returns: The running call, or `nil` if it has already been answered.
    func begin(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)?

    /// The number of actors in this process that have not ended.
    var actorCount: Int { get }

    /// Returns whether this process has an actor with this number.
    func hasActor(_ number: UInt64) -> Bool

    /// Returns the methods with stable names of an actor, or `nil` if there is no such actor.
    func methods(of number: UInt64) -> StableMethodList?

    /// Called when the node has ended.
    func nodeEnded()
}

/// A call that runs in this process.
package protocol RunningCall: AnyObject, Sendable {
    /// Asks the call to end, because its answer is no longer needed. The call must still be answered. This is called on
    /// threads that others wait for, so it must not block.
    func cancel()

    /// Notes that this process accepts no more calls, and ends when those that run have ended.
    func drain()

    /// Asks the call to end, because this process is about to end.
    func leave()

    /// Lets a call that is answered with a stream send more bytes of elements. This is called on the same threads as
    /// ``cancel()``.
    func give(credit bytes: Int)
}

extension RunningCall {
    package func leave() { cancel() }

    /// Does nothing, because running calls continue.
    package func drain() {}

    /// Does nothing, because a call that is not answered with a stream needs no credit.
    package func give(credit bytes: Int) {}
}

/// A received call that must be answered once. You can use it on any thread.
package struct IncomingCall: Sendable {
    enum Caller: Sendable {
        case own(PendingCall)
        /// A process on another session, with the number that the call has there.
        case session(CallSession, UInt64)

        func title(at node: ActorNode) -> String {
            switch self {
            case .own: node.title
            case .session(let session, _): session.title
            }
        }
    }

    let caller: Caller
    /// Whether the call is counted among the running calls. Calls of the node itself are not counted.
    let isCounted: Bool
    /// The number of bytes that the call keeps in memory while it runs.
    let weight: Int
    /// The number of the process that made the call, if another process has passed it on.
    let origin: UInt64
    let node: ActorNode
    /// The actor and the method, if the call is reported or traced.
    let subject: Subject?

    /// The actor and the method of a call.
    final class Subject: Sendable {
        let actor: UInt64
        let method: String
        /// The time at which the call arrived, in nanoseconds.
        let arrival = MonotonicTime.withSleep
        /// Whether the method exists.
        let isResolved = Atomic(false)
        /// The span in which the call runs, if it is traced.
        let span: (any OpenSpan)?

        init(_ call: ActorCall, _ span: (any OpenSpan)?) {
            // An operation is about a channel or an actor, and is not a call of it.
            actor = if case .named = call.method { call.actor } else { 0 }
            method = call.method.name
            self.span = span
        }
    }

    init(caller: Caller, _ call: ActorCall, weight: Int, node: ActorNode) {
        self.caller = caller
        isCounted = call.callKind == .actor
        self.weight = weight
        origin = call.caller ?? CallOutbox.direct
        self.node = node
        let lines = isCounted && node.tracesCalls ? call.context?.trace ?? [] : []
        let span = lines.isEmpty ? nil : node.beginSpan(.answering(caller: caller.title(at: node)), in: lines)
        subject = isCounted && node.isObserved || span != nil ? Subject(call, span) : nil
    }

    /// The name of the process that made the call, or that passed it on.
    var callerTitle: String { caller.title(at: node) }

    /// An executor on the thread that has read the call, or `nil` for a call of this process.
    package var readerExecutor: (any TaskExecutor)? {
        if case .session(let session, _) = caller { session.readerExecutor } else { nil }
    }

    /// Notes that this process has the method of the call. Another process chooses the name of the method, so the
    /// observers of calls must know whether it means anything. Call this before the answer.
    package func resolve() {
        guard let subject else { return }
        subject.isResolved.store(true, ordering: .releasing)
        subject.span?.resolve(method: subject.method)
    }

    /// Answers the call. The number of the call is filled in here.
    package func end(_ outcome: CallOutcome) {
        end(outcome, isBegun: true)
    }

    /// A Boolean value that indicates whether this process accepts no more calls.
    package var isDraining: Bool { node.core.withLock { $0.onIdle != nil } }

    /// A Boolean value that indicates whether the caller must read other answers before this one is encoded.
    package var isBehind: Bool {
        if case .session(let session, _) = caller { session.hasBacklog(of: origin) } else { false }
    }

    /// Waits until the caller has read enough of its other answers, the session has ended, or the task is cancelled. If
    /// the call does not end with its answer next, call ``resumeNextWaiter()`` so that the next waiter continues.
    package func untilRoom() async {
        if case .session(let session, _) = caller { await session.untilRoom(for: origin) }
    }

    /// Resumes the next waiter for room, because this call does not end yet.
    package func resumeNextWaiter() {
        if case .session(let session, _) = caller { session.resumeNextWaiter(of: origin) }
    }

    /// Writes the answer, after it was given, and calls a closure once with what has become of it, at once or later. An
    /// answer to this process is there at once.
    package func write(onDelivery body: @escaping @Sendable (AnswerDelivery) -> Void) {
        if case .session(let session, _) = caller { session.write(onDelivery: body) } else { body(.written) }
    }

    /// Adds elements of the answer, in order. Call `flush` afterwards. An empty array announces that the answer is a
    /// stream.
    func send(_ elements: [UInt8]) {
        switch caller {
        case .session(let session, let number):
            let isAdded = session.append(ActorElements(call: number, elements: elements), to: origin)
            if !isAdded { node.giveUp(number, on: session, to: origin) }
        case .own(let pending):
            pending.receive(ActorElements(call: 1, elements: elements))
        }
    }

    /// Writes the elements that were added.
    func flush() {
        if case .session(let session, _) = caller { session.base.flushSoon() }
    }

    /// Calls `flush` soon on the thread that writes, or at once if the caller is in this process.
    func flushLater(_ flush: @escaping @Sendable () -> Void) {
        if case .session(let session, _) = caller { session.base.eventLoop.execute(flush) } else { flush() }
    }

    /// Answers the call.
    ///
    /// - Parameter isBegun: Whether the node has counted the call among the running calls.
    func end(_ outcome: CallOutcome, isBegun: Bool) {
        node.answer(outcome, to: self, isBegun: isBegun)
    }
}
