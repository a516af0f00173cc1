import ExampleSupport
import LatticeActors
import LatticeCore

/// The effect that finds the files and keeps all hashers busy until there are no more files.
struct HashingJob: Sendable {
    /// The interval at which the walk that counts reports its result.
    private static let interval: Duration = .milliseconds(100)
    /// The interval at which the job checks whether there is a hasher.
    private static let watchInterval: Duration = .seconds(1)

    let request: HashRequest
    /// The actor system through which hashers are found.
    let system: LatticeActorSystem
    /// The time after which the job fails if there is no hasher.
    let patience: Duration
    /// Returns whether a file has already been hashed or has failed.
    let isKnown: @Sendable ([UInt8]) -> Bool

    private let start = ContinuousClock.now

    init(
        _ request: HashRequest,
        _ system: LatticeActorSystem,
        patience: Duration,
        isKnown: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.request = request
        self.system = system
        self.patience = patience
        self.isKnown = isKnown
    }

    /// Runs the job.
    ///
    /// - Throws: ``ProgramError`` if there is no hasher, and errors of calls that would be the same at every hasher.
    func run(_ send: Send<ChecksumsAction>) async throws {
        try await system.withPool(of: Hasher.self, named: Hasher.name) { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await hashAll(pool, send) }
                group.addTask { try await watch() }
                defer { group.cancelAll() }
                // The watch only ends with an error.
                try await group.next()
            }
        }
    }

    private func hashAll(_ pool: ActorPool<Hasher>, _ send: Send<ChecksumsAction>) async throws {
        let list = WorkList(root: request.root, isKnown: isKnown)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await count(send) }
            // There are two lanes for each hasher, so that the next batch is ready when one is done.
            for lane in 0..<2 * request.workers {
                group.addTask { try await self.lane(lane, list, pool, send).run() }
            }
            try await group.waitForAll()
        }
    }

    private func lane(
        _ number: Int,
        _ list: WorkList,
        _ pool: ActorPool<Hasher>,
        _ send: Send<ChecksumsAction>
    ) -> Lane {
        let meter = Meter(actorSystem: system) { bytes, process in
            await send(.read(lane: number, bytes: bytes, process: process, seconds: seconds))
        }
        return Lane {
            try await list.claim()
        } call: { paths in
            try await pool.call { try await $0.hash(paths, for: request, reporting: meter) }
        } hashed: { batch in
            await send(.hashed(lane: number, batch, seconds: seconds))
        } failed: { failures in
            await send(.notHashed(lane: number, failures))
        }
    }

    /// Counts all files, ahead of the lanes. The result is needed to show the share that is done.
    private func count(_ send: Send<ChecksumsAction>) async throws {
        var found = ChecksumsState.Found()
        var lastReport = ContinuousClock.now
        var search = TreeSearch(root: request.root)
        while let next = search.next() {
            guard case .file(_, let size) = next else { continue }
            found.files += 1
            found.bytes += size
            guard lastReport.duration(to: .now) >= Self.interval else { continue }
            try Task.checkCancellation()
            lastReport = .now
            await send(.found(found))
        }
        found.isAll = true
        await send(.found(found))
    }

    /// Throws an error if there is no hasher for too long. Calls would wait for one forever.
    private func watch() async throws {
        while true {
            do {
                _ = try await system.resolve(Hasher.self, named: Hasher.name, within: patience)
            } catch let error as ActorCallError where error.code == .unknownName {
                throw ProgramError(
                    "no hasher has been running for \(patience); see the messages above, and allow more memory and"
                        + " processes"
                )
            }
            try await Task.sleep(for: Self.watchInterval)
        }
    }

    private var seconds: Double {
        let duration = start.duration(to: .now).components
        return Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
    }
}
