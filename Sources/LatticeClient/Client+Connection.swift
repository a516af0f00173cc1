import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire
import Synchronization

extension Client {
    /// Connects for the first time.
    package func connect() async throws {
        do {
            try await startConnection().value
        } catch let error as SessionError {
            throw ClientError.refused(socketPath, error)
        }
    }

    private func startConnection() throws -> Promise<Void> {
        let connection: SocketConnection
        do throws(TransportError) {
            connection = try SocketConnection.connect(to: path, reactor: reactor)
        } catch {
            throw ClientError.connecting(socketPath, error)
        }
        let session = Session(
            over: connection,
            as: .initiator(hello),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            handler: opener
        )
        let connected = core.withLock { core in
            core.session = session
            core.connected = Promise()
            core.lost = Promise()
            return core.connected
        }
        session.start()
        return connected
    }

    func opened() {
        core.withLock(\.connected).fulfil(.success(()))
    }

    func closed(_ session: Session, _ error: SessionError?) {
        let promises = core.withLock { core -> (Promise<Void>, Promise<SessionError?>)? in
            guard core.session === session else { return nil }
            core.session = nil
            return (core.connected, core.lost)
        }
        guard let (connected, lost) = promises else { return }
        connected.fulfil(.failure(error ?? SessionError.endedEarly))
        lost.fulfil(.success(error))
    }

    /// Keeps the connection, until the calling task is cancelled or the connection cannot be had back.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in await keepConnected() }
            group.addTask { [self] in await watchTime() }
        }
    }

    private func keepConnected() async {
        repeat {
            let lost: SessionError?
            do {
                lost = try await core.withLock(\.lost).value
            } catch {
                // Cancelled.
                return
            }
            guard await reconnect(after: lost) else { return }
        } while true
    }

    /// Answers whether there is a connection again.
    private func reconnect(after error: SessionError?) async -> Bool {
        opener.detach(interruption: nil)
        guard !core.withLock(\.isEnding) else { return false }
        opener.report(.connecting)
        let start = ContinuousClock.now
        var attempt = 0
        var failure: (any Error)? = error
        while !Task.isCancelled, !core.withLock(\.isEnding),
            let delay = configuration.reconnect.delay(attempt, elapsed: start.duration(to: .now))
        {
            // Cancelled: the loop ends.
            try? await clock.sleep(for: delay)
            attempt += 1
            do {
                try await connect()
                return true
            } catch {
                failure = error
            }
        }
        giveUp(failure)
        return false
    }

    private func giveUp(_ error: (any Error)?) {
        let reason = "the coordinator at \"\(socketPath)\" is gone" + (error.map { ": \($0)" } ?? "")
        opener.report(.failed(HostFailure(reason: reason)))
        opener.close(
            .closed.with(reason: reason),
            interruption: Interruption(cause: .disconnected, incarnation: 0)
        )
    }

    private func watchTime() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            core.withLock(\.session)?.tick(now: .now)
        }
    }

    /// Says goodbye behind what still waits to be written, and waits for that to be gone, for `closeLimit` at most.
    package func stop() async {
        let (session, lost) = core.withLock { core in
            core.isEnding = true
            return (core.session, core.lost)
        }
        guard let session else { return }
        session.end()
        await withTaskGroup(of: Void.self) { [clock, configuration] group in
            // Neither error matters: both mean that the wait is over.
            group.addTask { _ = try? await lost.value }
            group.addTask { try? await clock.sleep(for: configuration.closeLimit) }
            await group.next()
            group.cancelAll()
        }
    }

    package func close() {
        giveUp(nil)
        if ownsReactor { reactor.stop() }
    }
}
