import LatticeConcurrency
import LatticeCore
import LatticeHosting
package import LatticeSession
import LatticeTransport
import LatticeWire

extension Client: SessionOwner {
    /// Connects, within `connectTimeout`. A coordinator that has no room for another connection is asked again, at the
    /// pace of reconnecting.
    package func connect() async throws {
        var pace = configuration.reconnect
        pace.limit = configuration.connectTimeout
        var (tries, waited) = (0, Duration.zero)
        while true {
            let connection: SocketConnection
            do throws(TransportError) {
                connection = try SocketConnection.connect(to: path, reactor: reactor)
            } catch {
                // A coordinator that is stopped takes none either, once enough of them wait.
                guard error.code == .busy,
                    let delay = pace.delay(tries, elapsed: waited, chance: .random(in: 0...1))
                else { throw ClientError.connecting(socketPath, error) }
                tries += 1
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
            liveness: Liveness(interval: configuration.heartbeatInterval, limit: configuration.heartbeatTimeout),
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
        core.withLock { $0.pace.connected(at: .now) }
        node.connect(session, to: peer, title: "coordinator")
        core.withLock(\.connected).complete(.success(()))
    }

    package func closed(_ session: Session, error: SessionError?) {
        let ends = core.withLock { core -> (OneShot<Result<Void, any Error>>, OneShot<SessionError?>)? in
            guard core.session === session else { return nil }
            core.session = nil
            return (core.connected, core.lost)
        }
        guard let (connected, lost) = ends else { return }
        connected.complete(.failure(error ?? SessionError.endedEarly))
        lost.complete(error)
    }

    /// Keeps the connection, until the calling task is cancelled or the connection cannot be had back.
    func run() async {
        // Without a value the task was cancelled.
        while let lost = await core.withLock(\.lost).wait(), await reconnect(after: lost) {}
    }

    /// Answers whether there is a connection again.
    private func reconnect(after error: SessionError?) async -> Bool {
        channels.detach()
        guard !core.withLock(\.isEnding) else { return false }
        channels.report(.connecting)
        core.withLock { $0.pace.lost(at: .now) }
        var failure: (any Error)? = error
        while !Task.isCancelled, !core.withLock(\.isEnding), !isLasting(failure),
            let delay = core.withLock({ $0.pace.nextDelay(at: .now) })
        {
            // Cancelled: the loop ends.
            try? await clock.wait(for: delay)
            do {
                try await connect()
                return true
            } catch {
                failure = error
            }
        }
        let coordinator = "the coordinator at \"\(socketPath)\""
        let cause = failure.map { ": \($0)" } ?? ""
        if isLasting(failure) {
            giveUp("\(coordinator) does not take this client any more\(cause)", .protocol)
        } else if let error, error.code == .shutDown {
            giveUp("\(coordinator) has ended in good order: \(error)")
        } else if isNobodyThere(failure) {
            giveUp("\(coordinator) is gone\(cause)")
        } else {
            let limit = configuration.reconnect.limit
            giveUp("\(coordinator) takes connections, and none lasted within \(limit)\(cause)", .startLimitHit)
        }
        return false
    }

    /// Whether there was nothing to connect to.
    private func isNobodyThere(_ failure: (any Error)?) -> Bool {
        // Without tries nothing is known but that the connection is lost.
        guard let error = failure as? ClientError else { return configuration.reconnect.limit == .zero }
        // One that is stopped takes no connections either, once enough of them wait.
        return error.code == .connecting && (error.cause as? TransportError)?.code != .busy
    }

    /// Whether trying again would bring the same.
    private func isLasting(_ error: (any Error)?) -> Bool {
        let error = (error as? ClientError)?.cause ?? error
        return (error as? SessionError)?.isLasting ?? false
    }

    /// - Parameter result: nil: the coordinator is not there any more.
    private func giveUp(_ reason: String, _ result: ServiceResult? = nil) {
        node.loseHub(because: reason)
        channels.report(.failed(HostFailure(reason: reason, result: result)))
        channels.close(reason: reason, interruption: Interruption(cause: .disconnected, incarnation: 0))
    }

    /// Says goodbye behind what still waits to be written, and waits for that to be gone, for `closeTimeout` at most; in
    /// a cancelled task not at all.
    package func stop() async {
        let (session, lost) = core.withLock { core in
            core.isEnding = true
            return (core.session, core.lost)
        }
        guard let session else { return }
        session.end()
        await lost.wait(atMost: configuration.closeTimeout, clock: clock)
    }

    package func close() {
        giveUp("this client has ended")
        node.end()
        if ownsReactor { reactor.stop() }
    }
}
