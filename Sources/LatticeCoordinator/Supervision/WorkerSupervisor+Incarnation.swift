import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

extension WorkerSupervisor {
    enum Life {
        case ended(Interruption.Cause)
        /// There was no room to start it.
        case lacked(String)
    }

    func runIncarnation() async -> Life {
        let stop = Promise<Void>()
        let ended = Promise<Void>()
        let launch = core.withLock { core in
            core.incarnation += 1
            core.restarts.started()
            core.stop = stop
            core.ended = ended
            core.verdict = nil
            core.refusal = nil
            core.session = nil
            var token: [UInt8] = []
            var generator = SystemRandomNumberGenerator()
            for _ in 0..<32 { token.append(UInt8.random(in: 0...255, using: &generator)) }
            return LaunchVariable(incarnation: core.incarnation, token: token)
        }
        do throws(TransportError) {
            let (local, remote) = try SocketConnection.pair(reactor: process.reactor)
            let session = makeSession(over: local, launch)
            let cause = try await process.run(socket: remote, launch: launch, stop: stop) { [self] process in
                core.withLock { core in
                    core.processID = process
                    core.session = session
                }
                session.start()
            }
            // The process is gone; what it wrote last is still read, until its end of the connection is seen to close.
            await ended.wait(atMost: configuration.teardownLimit, clock: clock)
            session.connection.close()
            await ended.wait(atMost: configuration.teardownLimit, clock: clock)
            return .ended(core.withLock { $0.verdict } ?? cause)
        } catch {
            guard !error.isLackOfResources else {
                // Not a life: the next attempt has the same number.
                core.withLock { $0.incarnation -= 1 }
                return .lacked(error.message)
            }
            configuration.logger.error("the worker cannot be started: \(error)")
            return .ended(.exit(code: 127))
        }
    }

    private func makeSession(over connection: SocketConnection, _ launch: LaunchVariable) -> Session {
        var acceptance = Handshake.Acceptance(
            role: .coordinator,
            allowedRoles: [.worker],
            token: launch.token,
            incarnation: launch.incarnation,
            processID: UInt32(ProcessIdentity.own),
            features: [],
            memory: sender,
            life: life
        )
        acceptance.expectedIncarnation = launch.incarnation
        acceptance.requiredFeatures = features
        acceptance.expectedBuild = core.withLock(\.build)
        return Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            handshakeLimit: configuration.restart.bootLimit,
            handler: opener
        )
    }
}
