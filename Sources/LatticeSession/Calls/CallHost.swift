import LatticeTransport
package import LatticeWire

/// Whom a node asks to run the calls of its actors.
package protocol CallHost: AnyObject, Sendable {
    /// A call came: begins it. On the event loop, in the order in which they came.
    ///
    /// - Parameter answer: Is given the end of the call, once.
    /// - Returns: What runs; nil: it has been answered.
    func begin(_ call: ActorCall, _ terms: CallContext, _ answer: IncomingCall) -> (any RunningCall)?

    /// Whether an actor with this number lives here.
    func hasActor(_ number: UInt64) -> Bool

    /// The methods with stable names of an actor with this number; nil: there is no such actor.
    func methods(of number: UInt64) -> StableMethodList?

    /// The node is at its end.
    func nodeEnded()
}

/// A call that runs here.
package protocol RunningCall: AnyObject, Sendable {
    /// Nobody needs its answer, which is given all the same. Called on threads that others wait for, so it waits for
    /// nothing itself.
    func cancel()

    /// This process is about to end, and has no more time for it.
    func leave()

    /// Whoever called takes so many bytes more of the elements with which it is answered. Called on the same threads.
    func give(credit bytes: Int)
}

extension RunningCall {
    package func leave() { cancel() }

    /// What is not answered with elements has no use for it.
    package func give(credit bytes: Int) {}
}

/// A call that is to be answered once. Any thread.
package struct IncomingCall: Sendable {
    enum Caller: Sendable {
        case own(PendingCall)
        /// With the number that it has there.
        case link(CallSession, UInt64)
    }

    let caller: Caller
    /// Whether it is counted among what runs, as what programs do is: not what the node itself is asked.
    let isCounted: Bool
    /// Bytes that it keeps while it runs.
    let weight: Int
    /// The number of the process that called, where another one has passed the call on.
    let origin: UInt64
    let node: ActorNode

    init(caller: Caller, _ call: ActorCall, weight: Int, node: ActorNode) {
        self.caller = caller
        isCounted = call.errand == .actor
        self.weight = weight
        origin = call.caller ?? CallOutbox.direct
        self.node = node
    }

    /// The thread that has read the call; nil for one of this process.
    package var readerExecutor: (any TaskExecutor)? {
        if case .link(let link, _) = caller { link.readerExecutor } else { nil }
    }

    /// Gives the answer. Its number is put in here.
    package func end(_ reply: ActorReply) {
        end(reply, isBegun: true)
    }

    /// A Boolean value that indicates whether the caller has to read other answers before this one is encoded.
    package var isBehind: Bool {
        if case .link(let link, _) = caller { link.isBehind(origin) } else { false }
    }

    /// Returns when the caller has read enough of its other answers, or reads none any more, or when the task is
    /// cancelled. What does not end the call with its answer passes its turn on.
    package func untilRoom() async {
        if case .link(let link, _) = caller { await link.untilRoom(for: origin) }
    }

    /// Has the next of what waits for room go on, as this call does not end yet.
    package func passTurn() {
        if case .link(let link, _) = caller { link.passTurn(of: origin) }
    }

    /// Adds elements of the answer, in order; `flush` follows. Empty: the answer is a stream.
    func send(_ elements: [UInt8]) {
        switch caller {
        case .link(let link, let number):
            let isAdded = link.append(ActorElements(call: number, elements: elements), to: origin)
            if !isAdded { node.giveUp(number, on: link, to: origin) }
        case .own(let pending):
            pending.receive(ActorElements(call: 1, elements: elements))
        }
    }

    /// Writes what was added.
    func flush() {
        if case .link(let link, _) = caller { link.session.flushSoon() }
    }

    /// Calls `flush` soon, on the thread that writes; at once for a caller in this process.
    func flushLater(_ flush: @escaping @Sendable () -> Void) {
        if case .link(let link, _) = caller { link.session.eventLoop.execute(flush) } else { flush() }
    }

    /// - Parameter isBegun: Whether its node has begun it.
    func end(_ reply: ActorReply, isBegun: Bool) {
        node.answer(reply, to: self, isBegun: isBegun)
    }
}
