import Synchronization

/// The files that were found and not yet taken, shared by the walk and the lanes of one worker.
///
/// At most `capacity` paths wait; a walk that is ahead of the lanes waits too.
actor Workload {
    /// How many paths may wait: enough that no lane starves, a few megabytes at most.
    static let capacity = 16_384
    /// How many files one claim has at the most. When a worker crashes, each file of its claims is counted alone by
    /// the next one, so a claim is not too large.
    static let maximumClaim = 512
    /// How many bytes its paths have at the most, if it is not a single one: a claim is sent before it is counted.
    static let maximumClaimBytes = 128 * 1024

    private var waiting: [[UInt8]] = []
    private var head = 0
    private var taken = 0
    private var isWalked = true
    /// See ``TallyState/switches``. Looked at between files by lanes that have their claim already, so it is no part of
    /// the actor.
    private let switches = Atomic(0)
    private var known: Set<KnownFiles.Fingerprint> = []
    private var knownCount = 0
    private let claimants = WaitingLine()
    private let walkers = WaitingLine()
    /// Of this worker's counting, without pauses.
    private var stopwatch = Stopwatch()

    /// Forgets everything and waits for a new walk.
    func begin(skipping known: KnownFiles) {
        self.known = known.fingerprints()
        knownCount = known.count
        waiting = []
        head = 0
        taken = known.count
        isWalked = false
    }

    /// Begins to measure the time of this worker.
    func startTime() {
        stopwatch = Stopwatch()
        if !isPaused { stopwatch.start(at: .now) }
    }

    /// Seconds since this worker began to count, without the time that it was paused.
    var seconds: Double {
        let duration = stopwatch.elapsed(at: .now).components
        return Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
    }

    // MARK: Walking

    /// Adds what the walk found, without what is known. Waits while too much is waiting.
    ///
    /// - Returns: How many files were new, together with those that are known already.
    func add(_ paths: [[UInt8]]) async throws {
        waiting.append(contentsOf: known.isEmpty ? paths : paths.filter { !known.contains(.init($0)) })
        claimants.wakeAll()
        while true {
            let ticket = walkers.takeTicket()
            guard waiting.count - head > Self.capacity else { return }
            try await walkers.wait(with: ticket)
        }
    }

    func endWalk() {
        isWalked = true
        claimants.wakeAll()
    }

    // MARK: Counting

    nonisolated var isPaused: Bool { switches.load(ordering: .relaxed) % 2 == 1 }

    /// Throws `CancellationError` if the task is cancelled meanwhile.
    func waitWhilePaused() async throws {
        while true {
            let ticket = claimants.takeTicket()
            guard isPaused else { return }
            try await claimants.wait(with: ticket)
        }
    }

    /// Pauses, or goes on, unless it knows of a later switch already.
    func follow(_ switches: Int) {
        guard switches > self.switches.load(ordering: .relaxed) else { return }
        self.switches.store(switches, ordering: .relaxed)
        if isPaused { return stopwatch.stop(at: .now) }
        stopwatch.start(at: .now)
        claimants.wakeAll()
    }

    /// The next files, or nil when there are no more. Waits for the walk, and for the end of a pause.
    func claim() async throws -> PackedPaths? {
        while true {
            let ticket = claimants.takeTicket()
            if let paths = claimWithoutWaiting() { return paths }
            if isWalked, !isPaused { return nil }
            try await claimants.wait(with: ticket)
        }
    }

    func claimWithoutWaiting() -> PackedPaths? {
        guard !isPaused, head < waiting.count else { return nil }
        // A share of what is done: with few files each lane gets some.
        let most = min(max(1, taken / 16), Self.maximumClaim)
        var bytes = 0
        let paths = waiting[head...].prefix(most).prefix { path in
            bytes += path.count
            return bytes <= Self.maximumClaimBytes || bytes == path.count
        }
        let size = paths.count
        head += size
        taken += size
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        } else if head > Self.capacity {
            waiting.removeFirst(head)
            head = 0
        }
        if waiting.count - head <= Self.capacity / 2 { walkers.wakeAll() }
        return PackedPaths(Array(paths))
    }
}
