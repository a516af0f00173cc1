import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire

@testable import LatticeCoordinator
@testable import LatticeProcess
@testable import LatticeTransport
@testable import LatticeWorker

/// Starts workers inside this process, each as the next word of a script says; the last word goes for all that follow.
final class ScriptedLauncher: WorkerLauncher {
    enum Word: Sendable {
        /// There is no room for it.
        case lacks
        /// The worker starts but gets no thread.
        case lacksThreads
        /// The worker cannot be started.
        case fails
        /// The worker ends before its hello.
        case ends(Interruption.Cause)
        /// The worker sends nothing.
        case isSilent
        /// The worker hosts none of the required features.
        case isStranger
        case serves
    }

    private struct Worker {
        let host: WorkerHost
        let session: Session
        let death = OneShot<Interruption.Cause>()
    }

    /// The incarnations that were started, including failed starts, oldest first.
    let starts = Watched<[UInt64]>([])
    private let script: [Word]
    private let eventLoop: any EventLoop
    /// The running workers by incarnation.
    private let workers = Watched<[UInt64: Worker]>([:])

    init(_ script: [Word], eventLoop: any EventLoop) {
        self.script = script
        self.eventLoop = eventLoop
    }

    func untilNoneRuns() async throws {
        try await workers.until(\.isEmpty)
    }

    /// Kills a running worker: the one with this incarnation, or the oldest.
    func kill(_ cause: Interruption.Cause = .signal(9), incarnation: UInt64? = nil) {
        let workers = workers.value
        (incarnation ?? workers.keys.min()).flatMap { workers[$0] }?.death.complete(cause)
    }

    func run(
        _ launch: LaunchVariable,
        configureProgram: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause {
        let word = script[min(starts.value.count, script.count - 1)]
        starts.change { $0.append(launch.incarnation) }
        switch word {
        case .lacks: throw .system("start it", 24)
        case .fails: throw .system("start it", 8)
        case .lacksThreads, .ends, .isSilent, .isStranger, .serves: break
        }
        let features: [any HostedFeature.Type] = if case .serves = word { [JournalFeature.self] } else { [] }
        let (near, far) = MemoryConnection.pair(eventLoop: eventLoop)
        let host = WorkerHost(features: features, eventLoop: eventLoop)
        let hello = Handshakes.hello(
            incarnation: launch.incarnation,
            token: launch.token,
            features: features.map { FeatureAdvertisement($0, level: .domain) }
        )
        let worker = Worker(host: host, session: Session(over: far, as: .initiator(hello), handler: host))
        workers.change { $0[launch.incarnation] = worker }
        defer { workers.change { $0[launch.incarnation] = nil } }
        let process = 100 + Int32(launch.incarnation)
        onStart(StartedWorker(processID: process, connection: near) { _ in })
        switch word {
        case .ends(let cause): worker.death.complete(cause)
        case .isStranger, .serves: worker.session.start()
        case .lacks, .lacksThreads, .fails, .isSilent: break
        }
        defer { far.close() }
        if case .lacksThreads = word { throw .workerLacks(11) }
        return await withTaskGroup(of: Interruption.Cause.self) { group in
            group.addTask { (try? await worker.death.value) ?? .signal(15) }
            group.addTask { (try? await stop.value) == nil ? .signal(15) : .exit(code: 0) }
            defer { group.cancelAll() }
            return await group.next() ?? .disconnected
        }
    }
}
