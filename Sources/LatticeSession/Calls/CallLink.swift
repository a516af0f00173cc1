import DequeModule
import LatticeConcurrency
import LatticeWire

/// One session, as far as calls are concerned: what is read from channel 0, and what is written there.
///
/// Calls and answers that would make too much wait in the session wait here, in order: so no answer is lost, and no
/// session is ended, because many of them are large.
final class CallLink: SessionChannel {
    private struct Message {
        let kind: MessageKind
        let body: SplitBody
    }

    private struct Outbox {
        var waiting: Deque<Message> = []
        var bytes = 0
    }

    let id: LinkID
    let session: Session
    /// The process on the other side, for people.
    let title: String
    /// Which life of a worker that is; 0 for others.
    let incarnation: UInt64
    let isClient: Bool
    /// Whether somebody says how the other side has ended, after its session.
    let isSupervised: Bool
    /// Who answers for its channels, as long as this is kept.
    let questions: (any QuestionHost)?
    /// The thread that reads the session.
    let readerExecutor: EventLoopTaskExecutor
    // Until the node forgets this, which it does when the session has ended.
    private let node: ActorNode
    private let outbox = Locked(Outbox())
    /// Bytes of the arguments of what runs here for the other side.
    private let arguments = Locked(0)

    init(
        _ id: LinkID,
        over session: Session,
        title: String,
        incarnation: UInt64,
        isClient: Bool,
        isSupervised: Bool,
        questions: (any QuestionHost)?,
        node: ActorNode
    ) {
        self.id = id
        self.session = session
        readerExecutor = EventLoopTaskExecutor(session.eventLoop)
        self.title = title
        self.incarnation = incarnation
        self.isClient = isClient
        self.isSupervised = isSupervised
        self.questions = questions
        self.node = node
    }

    // MARK: Sending, on any thread

    /// Whether a call of so many bytes may be added.
    func hasRoom(for bytes: Int) -> Bool {
        outbox.withLock { $0.waiting.isEmpty || $0.bytes + bytes <= CallLimits.maximumWaiting }
    }

    /// Adds a call without writing it; `flushSoon` of the session follows, outside of the caller's lock.
    ///
    /// - Returns: Whether it will go out, unless the session ends before.
    func append(_ call: ActorCall) -> Bool { append(call, around: call.arguments) }

    /// Adds an answer, and writes it.
    func send(_ reply: ActorReply) {
        if append(reply, around: reply.value ?? []) { session.flushSoon() }
    }

    /// Adds elements of an answer without writing them.
    ///
    /// - Returns: Whether they will go out.
    @discardableResult
    func append(_ elements: ActorElements) -> Bool { append(elements, around: elements.elements) }

    /// The same, and writes them.
    func send(_ elements: ActorElements) {
        if append(elements) { session.flushSoon() }
    }

    func sendCancel(_ call: UInt64) {
        session.sendControl(ActorCancel(call: call))
    }

    func sendCredit(_ bytes: UInt64, for call: UInt64) {
        session.sendControl(ActorCredit(call: call, bytes: bytes))
    }

    private func append<Body: WireMessageBody>(_ message: Body, around payload: [UInt8]) -> Bool {
        outbox.withLock { outbox in
            var hasRoom = false
            if outbox.waiting.isEmpty {
                let isAdded = session.change { output in
                    hasRoom = output.hasRoom(for: 0)
                    guard hasRoom else { return }
                    if payload.count > WriteQueue.maximumInline {
                        output.queue.addData(Body.kind, on: 0, body: SplitBody(of: message, around: payload))
                    } else if payload.count > WriteQueue.maximumSmall {
                        output.queue.addData(message, on: 0)
                    } else {
                        output.queue.addSmall(message, on: 0)
                    }
                }
                guard isAdded, !hasRoom else { return isAdded }
            }
            let waiting = Message(kind: Body.kind, body: SplitBody(of: message, around: payload))
            outbox.waiting.append(waiting)
            outbox.bytes += waiting.body.count
            guard outbox.bytes <= CallLimits.mostWaiting, outbox.waiting.count <= 2 * CallLimits.maximumCalls else {
                session.abort(.slowReader(outbox.bytes))
                return false
            }
            return true
        }
    }

    /// Whether nothing waits here.
    var isEmpty: Bool { outbox.withLock(\.waiting.isEmpty) }

    /// There is room for what waits here.
    func sessionDrained() {
        let isEmpty = outbox.withLock { outbox in
            while let message = outbox.waiting.first {
                var hasRoom = false
                session.change { output in
                    hasRoom = output.hasRoom(for: 0)
                    if hasRoom { output.queue.addData(message.kind, on: 0, body: message.body) }
                }
                guard hasRoom else { break }
                outbox.waiting.removeFirst()
                outbox.bytes -= message.body.count
            }
            return outbox.waiting.isEmpty
        }
        session.flushSoon()
        if isEmpty { node.mayBeIdle() }
    }

    // MARK: What runs here for the other side

    /// Counts the arguments of a call that came.
    ///
    /// - Returns: Whether it may run; false: too much does, or too many answers wait to be read.
    func take(_ bytes: Int) -> Bool {
        guard outbox.withLock({ $0.bytes <= CallLimits.maximumWaiting }) else { return false }
        return arguments.withLock { arguments in
            guard arguments == 0 || arguments + bytes <= CallLimits.maximumArguments else { return false }
            arguments += bytes
            return true
        }
    }

    /// A call has ended here.
    func giveBack(_ bytes: Int) {
        arguments.withLock { $0 -= bytes }
    }

    // MARK: Receiving, on the event loop

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .actorCall: try node.receive(ActorCall(decoding: body), over: self)
        case .actorReply: try node.receive(ActorReply(decoding: body), over: self)
        case .actorCancel: try node.receive(ActorCancel(decoding: body), over: self)
        case .actorElements: try node.receive(ActorElements(decoding: body), over: self)
        case .actorCredit: try node.receive(ActorCredit(decoding: body), over: self)
        default: throw .unexpected(kind, at: "a node")
        }
    }

    func sessionEnded(_ session: Session) {
        node.close(self)
    }
}
