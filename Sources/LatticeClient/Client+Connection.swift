import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
package import LatticeSession
import LatticeTransport
import LatticeWire

extension Client: SessionOwner {
    /// Connects to the coordinator within `connectTimeout`. If the coordinator has no room for another connection, the
    /// client tries again with the delays of the reconnect policy.
    package func connect() async throws {
        var pace = configuration.reconnect
        pace.timeout = configuration.connectTimeout
        var (attempts, waited) = (0, Duration.zero)
        while true {
            let connection: SocketConnection
            do throws(TransportError) {
                connection = try SocketConnection.connect(to: path, reactor: reactor)
            } catch {
                // A stopped coordinator accepts no connections either when its queue of connections is full.
                guard error.code == .busy,
                    let delay = pace.delay(attempts, elapsed: waited, chance: .random(in: 0...1))
                else { throw ClientError.connecting(socketPath, error) }
                attempts += 1
                waited += delay
                try await clock.wait(for: delay)
                continue
            }
            return try await shakeHands(over: wrap?(connection) ?? connection)
        }
    }

    private func shakeHands(over connection: any Connection) async throws {
        let session = Session(
            over: connection,
            as: .initiator(hello),
            liveness: Liveness(interval: configuration.heartbeatInterval, timeout: configuration.heartbeatTimeout),
            handshakeTimeout: configuration.connectTimeout,
            handler: channels
        )
        let connected = core.withLock { core in
            core.session = session
            core.connected = OneShot()
            core.lost = OneShot()
            return core.connected
        }
        session.start()
        do {
            try await connected.value.get()
        } catch let error as SessionError {
            throw error.code == .timeout
                ? ClientError.silent(socketPath, process: connection.peer.processID, configuration.connectTimeout)
                : ClientError.refused(socketPath, error)
        }
    }

    package func opened(_ session: Session, to peer: Handshake.Peer) {
        let process = Int32(truncatingIfNeeded: peer.processID)
        core.withLock { core in
            core.pace.connected(at: .now)
            core.coordinator = process
        }
        node.connect(session, to: peer, title: "coordinator")
        shownStatus.set(.connected(coordinator: process))
        events.emit(.sessionOpened, .sessionOpened(.coordinator(processID: process, path: socketPath)))
        core.withLock(\.connected).complete(.success(()))
    }

    package func closed(_ session: Session, error: SessionError?) {
        let ends = core.withLock { core -> (OneShot<Result<Void, any Error>>, OneShot<SessionError?>, Int32?)? in
            guard core.session === session else { return nil }
            core.session = nil
            return (core.connected, core.lost, core.coordinator.take())
        }
        guard let (connected, lost, coordinator) = ends else { return }
        if let coordinator {
            let problem = error.map { RuntimeEvent.SessionProblem($0) }
            let peer = RuntimeEvent.Peer.coordinator(processID: coordinator, path: socketPath)
            events.emit(.sessionEnded, .sessionEnded(peer, problem: problem))
        }
        connected.complete(.failure(error ?? SessionError.endedEarly))
        lost.complete(error)
    }

    /// Keeps the connection open until the calling task is cancelled or reconnecting fails.
    func run() async {
        // The value is nil if the task was cancelled.
        while let lost = await core.withLock(\.lost).wait(), await reconnect(after: lost) {}
    }

    /// Tries to reconnect, and returns a Boolean value that indicates whether it succeeded.
    private func reconnect(after error: SessionError?) async -> Bool {
        channels.detach()
        guard !core.withLock(\.isEnding) else { return false }
        channels.report(.connecting)
        core.withLock { $0.pace.lost(at: .now) }
        let start = ContinuousClock.now
        var failedAttempts = 0
        var failure: (any Error)? = error
        showReconnecting(since: start, failedAttempts, failure)
        events.emit(.connectionLost, .connectionLost(path: socketPath, reason: text(of: failure)))
        while !isBeingEnded, !isPermanent(failure),
            let delay = core.withLock({ $0.pace.nextDelay(at: .now) })
        {
            // If the task is cancelled, the loop ends.
            try? await clock.wait(for: delay)
            do {
                try await connect()
                events.emit(.connectionRestored, .connectionRestored(path: socketPath))
                return true
            } catch {
                failure = error
                // An attempt that the end of the client interrupted has not failed.
                guard !isBeingEnded else { break }
                failedAttempts += 1
                showReconnecting(since: start, failedAttempts, failure)
                let reason = text(of: failure)
                events.emit(
                    .connectionAttemptFailed,
                    .connectionAttemptFailed(path: socketPath, attempt: failedAttempts, reason: reason)
                )
            }
        }
        giveUp(after: error, failure)
        return false
    }

    /// Gives up on the coordinator, and names the reason.
    ///
    /// - Parameters:
    ///   - error: The reason why the connection was lost, or nil if it has ended without a reason.
    ///   - failure: The error of the last attempt, or `error` if there was none.
    private func giveUp(after error: SessionError?, _ failure: (any Error)?) {
        let cause = failure.map { ": \($0)" } ?? ""
        if isPermanent(failure) {
            giveUp(.refused, "\(coordinator) no longer accepts this client\(cause)", failure, .protocol)
        } else if let error, error.code == .shutDown {
            giveUp(.connecting, "\(coordinator) has shut down: \(error)", error)
        } else if isUnreachable(failure) {
            giveUp(.connecting, "\(coordinator) is gone\(cause)", failure)
        } else if isSilent(failure) {
            let timeout = configuration.reconnect.timeout
            giveUp(.silent, "\(coordinator) has not answered within \(timeout)\(cause)", failure, .startLimitHit)
        } else {
            let timeout = configuration.reconnect.timeout
            let reason = "\(coordinator) accepts connections, but none was stable within \(timeout)\(cause)"
            giveUp(.unstable, reason, failure, .startLimitHit)
        }
    }

    /// A Boolean value that indicates whether the client is about to end, or the task that runs it is cancelled.
    private var isBeingEnded: Bool { Task.isCancelled || core.withLock(\.isEnding) }

    /// The name of the coordinator in messages.
    private var coordinator: String { "the coordinator at \"\(socketPath)\"" }

    private func text(of failure: (any Error)?) -> String {
        failure.map { "\($0)" } ?? "the connection has ended"
    }

    private func showReconnecting(
        since start: ContinuousClock.Instant,
        _ failedAttempts: Int,
        _ failure: (any Error)?
    ) {
        let reason = text(of: failure)
        shownStatus.set(.reconnecting(.init(since: start, failedAttempts: failedAttempts, reason: reason)))
    }

    /// Returns a Boolean value that indicates whether no coordinator could be reached.
    private func isUnreachable(_ failure: (any Error)?) -> Bool {
        // Without attempts the client only knows that the connection is lost.
        guard let error = failure as? ClientError else { return configuration.reconnect.timeout == .zero }
        // A stopped coordinator accepts no connections either when its queue of connections is full.
        return error.code == .connecting && (error.cause as? TransportError)?.code != .busy
    }

    /// Returns a Boolean value that indicates whether the coordinator is there, but does not answer.
    private func isSilent(_ failure: (any Error)?) -> Bool {
        guard let error = failure as? ClientError else { return false }
        return error.code == .silent || (error.cause as? TransportError)?.code == .busy
    }

    /// Returns a Boolean value that indicates whether another attempt would fail with the same error.
    private func isPermanent(_ error: (any Error)?) -> Bool {
        let error = (error as? ClientError)?.cause ?? error
        return (error as? SessionError)?.isLasting ?? false
    }

    /// Ends all channels, because the client does not reconnect any more, and says so unless the client is ending
    /// anyway.
    private func giveUp(
        _ code: ClientError.Code,
        _ reason: String,
        _ cause: (any Error)?,
        _ result: ServiceResult? = nil
    ) {
        if !isBeingEnded {
            let error = ClientError.gaveUp(code, reason, cause: cause)
            shownStatus.set(.closed(error))
            events.emit(.connectionGivenUp, .connectionGivenUp(path: socketPath, reason: "\(error)"))
        } else {
            shownStatus.set(.closed(nil))
        }
        endChannels(reason, result)
    }

    /// Ends all channels.
    ///
    /// - Parameter result: The result for the host status, or nil if the coordinator is gone.
    private func endChannels(_ reason: String, _ result: ServiceResult? = nil) {
        node.loseHub(because: reason)
        channels.report(.failed(HostFailure(reason: reason, result: result)))
        channels.close(reason: reason, interruption: Interruption(cause: .disconnected, incarnation: 0))
    }

    /// Says goodbye after the messages that wait to be written, and waits until they are written, for at most
    /// `closeTimeout`. In a cancelled task it does not wait.
    package func stop() async {
        let (session, lost) = core.withLock { core in
            core.isEnding = true
            return (core.session, core.lost)
        }
        guard let session else { return }
        session.end()
        await lost.wait(atMost: configuration.closeTimeout, clock: clock)
    }

    /// Ends all channels and the reactor, unless another owner stops it.
    package func close() {
        shownStatus.set(.closed(nil))
        endChannels("this client has ended")
        node.end()
        if ownsReactor { reactor.stop() }
    }
}
