import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// One worker from its launch to its end.
///
/// It may be launched before it is needed: then it shakes hands, and what its session says waits until it is used.
final class LaunchedWorker: SessionHandler {
    /// How its process has ended, or why it could not be started.
    typealias End = Result<Interruption.Cause, TransportError>

    private struct Core {
        var process: (worker: StartedWorker, session: Session)?
        /// Called when that is there.
        var onStart: (@Sendable (StartedWorker, Session) -> Void)?
        var isUsed = false
        /// What its session has said before it was used.
        var news: [@Sendable (ClientChannels) -> Void] = []
    }

    let incarnation: UInt64
    /// Complete when it is to leave.
    let stop: OneShot<Void>
    private let channels: ClientChannels
    private let node: ActorNode
    /// The worker, for people.
    private let title: String
    private let core = Locked(Core())
    /// Whoever launches a worker waits for its end, which is why this is no child of a task: its first user may be one
    /// life of the supervisor, and the other the next.
    private let task = Locked<Task<End, Never>?>(nil)

    /// - Parameters:
    ///   - channels: What hears of its session, once it is used.
    ///   - node: What takes its calls.
    ///   - title: What others call it.
    init(
        incarnation: UInt64,
        channels: ClientChannels,
        node: ActorNode,
        title: String,
        stop: OneShot<Void> = OneShot()
    ) {
        self.incarnation = incarnation
        self.channels = channels
        self.node = node
        self.title = title
        self.stop = stop
    }

    /// Begins. Called once.
    ///
    /// - Parameters:
    ///   - makeSession: Makes the session over its connection, with this as the handler; it is started here.
    ///   - onEnd: Called when nothing of it is left, or when it could not be started.
    func launch(
        by launcher: any WorkerLauncher,
        _ launch: LaunchVariable,
        makeSession: @escaping @Sendable (any Connection, any SessionHandler) -> Session,
        onEnd: @escaping @Sendable (End) -> Void = { _ in }
    ) {
        let task = ThreadPool.begin {
            Task(executorPreference: ThreadPool.shared) { [self] () -> End in
                let end: End
                do throws(TransportError) {
                    let cause = try await launcher.run(launch, disguise: nil, stop: stop) { [self] worker in
                        started(worker, makeSession(worker.connection, self))
                    }
                    end = .success(cause)
                } catch {
                    end = .failure(error)
                }
                onEnd(end)
                return end
            }
        }
        self.task.withLock { $0 = task }
    }

    private func started(_ worker: StartedWorker, _ session: Session) {
        let onStart = core.withLock { core in
            core.process = (worker, session)
            return core.onStart.take()
        }
        onStart?(worker, session)
        session.start()
    }

    /// How it has ended, when nothing of it is left. Cancelling the calling task ends it at once.
    var end: End {
        get async {
            guard let task = task.withLock(\.self) else { return .success(.disconnected) }
            return await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// From now on the channels hear of its session, first of what it has said so far.
    ///
    /// - Parameter onStart: Called once when its process is there, before they do.
    func use(_ onStart: @escaping @Sendable (StartedWorker, Session) -> Void) {
        let process = core.withLock { core in
            if core.process == nil { core.onStart = onStart }
            return core.process
        }
        if let process { onStart(process.worker, process.session) }
        channels.eventLoop.execute { [self] in
            let (news, session) = core.withLock { core in
                core.isUsed = true
                return (exchange(&core.news, with: []), core.process?.session)
            }
            for tell in news { tell(channels) }
            if let session { node.use(session) }
        }
    }

    /// Has it leave: nobody needs it.
    func dismiss() {
        core.withLock(\.process)?.session.end(.normal, reason: "the worker is not needed")
        stop.complete()
    }

    // MARK: From its session, on the event loop

    private func tell(_ news: @escaping @Sendable (ClientChannels) -> Void) {
        let isUsed = core.withLock { core in
            if !core.isUsed { core.news.append(news) }
            return core.isUsed
        }
        if isUsed { news(channels) }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let isReserve = !core.withLock(\.isUsed)
        // Workers of one group have one name, and are told apart by their processes.
        node.connect(
            session,
            to: peer,
            title: "\(title) (process \(peer.processID))",
            isSupervised: true,
            isReserve: isReserve
        )
        tell { $0.sessionOpened(session, peer: peer) }
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        if !core.withLock(\.isUsed) {
            // One that is of no use leaves.
            stop.complete()
            node.lost(session, because: "the \(title) has ended before it was used")
        }
        tell { $0.sessionClosed(session, error: error) }
    }

    func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        try channels.session(session, opens: channel, open)
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        if core.withLock(\.isUsed) { try channels.session(session, received: kind, body: body) }
    }

    func session(_ session: Session, isSilentFor silence: Duration) {
        if core.withLock(\.isUsed) { channels.session(session, isSilentFor: silence) }
    }

    func sessionAnswersAgain(_ session: Session) {
        if core.withLock(\.isUsed) { channels.sessionAnswersAgain(session) }
    }

    func session(_ session: Session, hasProblem problem: String?) {
        if core.withLock(\.isUsed) { channels.session(session, hasProblem: problem) }
    }

    func sessionExcusesSilence(_ session: Session) -> Bool {
        core.withLock(\.isUsed) && channels.sessionExcusesSilence(session)
    }
}
