import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeWire

@testable import LatticeCoordinator
@testable import LatticeTransport
@testable import LatticeWorker

/// Starts workers inside this process, each as the next word of a script says; the last word goes for all that follow.
final class ScriptedLauncher: WorkerLauncher {
    enum Word: Sendable {
        /// There is no room for it.
        case lacks
        /// It is there, and gets no thread.
        case lacksThreads
        /// It cannot be started at all.
        case fails
        /// It ends without a word.
        case ends(Interruption.Cause)
        /// It says nothing.
        case isSilent
        /// It hosts nothing that it should.
        case isStranger
        case serves
    }

    private struct Worker {
        let host: WorkerHost
        let session: Session
        let death = OneShot<Interruption.Cause>()
    }

    /// The lives that began, or would have, oldest first.
    let starts = Watched<[UInt64]>([])
    private let script: [Word]
    private let eventLoop: any EventLoop
    /// Those that run, by their lives.
    private let workers = Watched<[UInt64: Worker]>([:])

    init(_ script: [Word], eventLoop: any EventLoop) {
        self.script = script
        self.eventLoop = eventLoop
    }

    func untilNoneRuns() async throws {
        try await workers.until(\.isEmpty)
    }

    /// Kills a worker that runs: the oldest, or the one of this life.
    func kill(_ cause: Interruption.Cause = .signal(9), life: UInt64? = nil) {
        let workers = workers.value
        (life ?? workers.keys.min()).flatMap { workers[$0] }?.death.complete(cause)
    }

    func run(
        _ launch: LaunchVariable,
        disguise: (@Sendable (inout Program) -> Void)?,
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
