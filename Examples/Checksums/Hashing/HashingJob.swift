import ExampleSupport
import LatticeActors
import LatticeCore

/// The effect: finds the files, and has all hashers at work until there are no more.
struct HashingJob: Sendable {
    /// How often the walk that counts tells what it has found.
    private static let interval: Duration = .milliseconds(100)
    /// How often it is looked whether there is any hasher.
    private static let watchInterval: Duration = .seconds(1)

    let request: HashRequest
    /// By which hashers are found.
    let system: LatticeActorSystem
    /// After so long without any hasher there will be none.
    let patience: Duration
    /// Whether a file need not be hashed any more.
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

    /// - Throws: ``ProgramError`` if there is no hasher; what a call throws that no other hasher would answer either.
    func run(_ send: Send<ChecksumsAction>) async throws {
        try await system.withPool(of: Hasher.self, named: Hasher.name) { pool in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await hashAll(pool, send) }
                group.addTask { try await watch() }
                defer { group.cancelAll() }
                // The watch has no end but an error.
                try await group.next()
            }
        }
    }

    private func hashAll(_ pool: ActorPool<Hasher>, _ send: Send<ChecksumsAction>) async throws {
        let list = WorkList(root: request.root, isKnown: isKnown)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await count(send) }
            // Twice as many as hashers: one that is done has the next batch waiting.
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
            try await pool.call { try await $0.hash(paths, for: request, telling: meter) }
        } hashed: { batch in
            await send(.hashed(lane: number, batch, seconds: seconds))
        } failed: { failures in
            await send(.notHashed(lane: number, failures))
        }
    }

    /// Counts the files for the share that is done, ahead of those who hash them.
    private func count(_ send: Send<ChecksumsAction>) async throws {
        var found = ChecksumsState.Found()
        var lastTold = ContinuousClock.now
        var search = TreeSearch(root: request.root)
        while let next = search.next() {
            guard case .file(_, let size) = next else { continue }
            found.files += 1
            found.bytes += size
            guard lastTold.duration(to: .now) >= Self.interval else { continue }
            try Task.checkCancellation()
            lastTold = .now
            await send(.found(found))
        }
        found.isAll = true
        await send(.found(found))
    }

    /// Calls wait while there is no hasher. Somebody has to say so if none comes.
    private func watch() async throws {
        while true {
            do {
                _ = try await system.resolve(Hasher.self, named: Hasher.name, within: patience)
            } catch let error as ActorCallError where error.code == .unknownName {
                throw ProgramError(
                    "no hasher has been running for \(patience); see above how they ended, and allow for more memory and processes"
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
