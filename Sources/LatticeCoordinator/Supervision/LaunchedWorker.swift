import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// One worker from its launch to its end.
///
/// A worker can be launched before it is needed, as a standby. It then completes its handshake, and the updates of its
/// session are held back until it is used.
final class LaunchedWorker: SessionHandler {
    /// How the process ended, or why it could not be started.
    typealias End = Result<Interruption.Cause, TransportError>

    private struct Core {
        var process: (worker: StartedWorker, session: Session)?
        /// Called when the process exists.
        var onStart: (@Sendable (StartedWorker, Session) -> Void)?
        var isUsed = false
        /// The updates of the session from the time before the worker was used.
        var pendingUpdates: [@Sendable (ClientChannels) -> Void] = []
    }

    let incarnation: UInt64
    /// Completed when the worker is to leave.
    let stop: OneShot<Void>
    private let channels: ClientChannels
    private let node: ActorNode
    /// The name of the worker in messages.
    private let title: String
    private let core = Locked(Core())
    /// The task that waits for the end of the worker. It is not a child task, because the worker may be launched during
    /// one incarnation and used by the next one.
    private let task = Locked<Task<End, Never>?>(nil)

    /// - Parameters:
    ///   - channels: The receiver of the session's updates once the worker is used.
    ///   - node: The receiver of the worker's calls.
    ///   - title: The name of the worker in messages.
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

    /// Starts the worker. Call this once.
    ///
    /// - Parameters:
    ///   - makeSession: Creates the session over the worker's connection, with this object as its handler. The session
    ///     is started here.
    ///   - onEnd: Called when nothing of the worker is left, or when it could not be started.
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
                    let cause = try await launcher.run(launch, configureProgram: nil, stop: stop) { [self] worker in
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

    /// The process ID, or nil until the process exists.
    var processID: Int32? { core.withLock { $0.process?.worker.processID } }

    /// The limits that the process was started with, or nil until it exists.
    var limits: WorkerLimits? { core.withLock { $0.process?.worker.limits } }

    private func started(_ worker: StartedWorker, _ session: Session) {
        let onStart = core.withLock { core in
            core.process = (worker, session)
            return core.onStart.take()
        }
        onStart?(worker, session)
        session.start()
    }

    /// How the worker ended, available when nothing of it is left. Cancelling the calling task ends the worker at once.
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

    /// Delivers the updates of the session to the channels from now on, beginning with those that were held back.
    ///
    /// - Parameter onStart: Called once when the process exists, before the channels receive an update.
    func use(_ onStart: @escaping @Sendable (StartedWorker, Session) -> Void) {
        let process = core.withLock { core in
            if core.process == nil { core.onStart = onStart }
            return core.process
        }
        if let process { onStart(process.worker, process.session) }
        channels.eventLoop.execute { [self] in
            let (updates, session) = core.withLock { core in
                core.isUsed = true
                return (exchange(&core.pendingUpdates, with: []), core.process?.session)
            }
            for update in updates { update(channels) }
            if let session { node.use(session) }
        }
    }

    /// Ends the worker because it is not needed.
    func dismiss() {
        core.withLock(\.process)?.session.end(.normal, reason: "the worker is not needed")
        stop.complete()
    }

    // MARK: Session, on the event loop

    private func deliver(_ update: @escaping @Sendable (ClientChannels) -> Void) {
        let isUsed = core.withLock { core in
            if !core.isUsed { core.pendingUpdates.append(update) }
            return core.isUsed
        }
        if isUsed { update(channels) }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let isReserve = !core.withLock(\.isUsed)
        // All workers of a group have the same name, so the title contains the process ID.
        node.connect(
            session,
            to: peer,
            title: "\(title) (process \(peer.processID))",
            isSupervised: true,
            isReserve: isReserve
        )
        deliver { $0.sessionOpened(session, peer: peer) }
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        if !core.withLock(\.isUsed) {
            // The session of a standby ended, so the standby cannot be used any more.
            stop.complete()
            node.lost(session, because: "the \(title) has ended before it was used")
        }
        deliver { $0.sessionClosed(session, error: error) }
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
