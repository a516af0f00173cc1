import Synchronization

/// The files that were found and not taken yet. The walk and the lanes of a worker share it.
///
/// At most `capacity` paths wait. If the walk is ahead of the lanes, the walk waits.
actor Workload {
    /// The maximum number of paths that wait. It is enough for all lanes, and a few megabytes at most.
    static let capacity = 16_384
    /// The maximum number of files in a claim. After a crash, the next worker counts each file of a claim alone, so
    /// claims are small.
    static let maximumClaim = 512
    /// The maximum number of bytes of a claim's paths, if it has several paths. A claim is sent before it is counted.
    static let maximumClaimBytes = 128 * 1024

    private var waiting: [[UInt8]] = []
    private var head = 0
    private var taken = 0
    private var isWalked = true
    /// The number of pauses and resumptions, see ``TallyState/switches``. It is not isolated to the actor, because
    /// lanes read it between files.
    private let switches = Atomic(0)
    private var known: Set<KnownFiles.Fingerprint> = []
    private var knownCount = 0
    private let claimants = WaitingLine()
    private let walkers = WaitingLine()
    /// Measures the time that this worker has counted, without pauses.
    private var stopwatch = Stopwatch()

    /// Removes all files and prepares for a new walk.
    func begin(skipping known: KnownFiles) {
        self.known = known.fingerprints()
        knownCount = known.count
        waiting = []
        head = 0
        taken = known.count
        isWalked = false
    }

    /// Starts to measure the time of this worker.
    func startTime() {
        stopwatch = Stopwatch()
        if !isPaused { stopwatch.start(at: .now) }
    }

    /// The seconds since this worker began to count, without pauses.
    var seconds: Double {
        let duration = stopwatch.elapsed(at: .now).components
        return Double(duration.seconds) + Double(duration.attoseconds) * 1e-18
    }

    // MARK: Walking

    /// Adds the files that the walk has found, except those that are known. Waits while too many files are waiting.
    func add(_ paths: [[UInt8]]) async throws {
        waiting.append(contentsOf: known.isEmpty ? paths : paths.filter { !known.contains(.init($0)) })
        claimants.wakeAll()
        while true {
            let ticket = walkers.takeTicket()
            guard waiting.count - head > Self.capacity else { return }
            try await walkers.wait(with: ticket)
        }
    }

    /// Reports that the walk is complete.
    func endWalk() {
        isWalked = true
        claimants.wakeAll()
    }

    // MARK: Counting

    nonisolated var isPaused: Bool { switches.load(ordering: .relaxed) % 2 == 1 }

    /// Waits until the pause ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled meanwhile.
    func waitWhilePaused() async throws {
        while true {
            let ticket = claimants.takeTicket()
            guard isPaused else { return }
            try await claimants.wait(with: ticket)
        }
    }

    /// Pauses or resumes, unless a later switch is already known.
    func follow(_ switches: Int) {
        guard switches > self.switches.load(ordering: .relaxed) else { return }
        self.switches.store(switches, ordering: .relaxed)
        if isPaused { return stopwatch.stop(at: .now) }
        stopwatch.start(at: .now)
        claimants.wakeAll()
    }

    /// Returns the next files, or nil when there are no more. Waits for the walk and for the end of a pause.
    func claim() async throws -> PackedPaths? {
        while true {
            let ticket = claimants.takeTicket()
            if let paths = claimWithoutWaiting() { return paths }
            if isWalked, !isPaused { return nil }
            try await claimants.wait(with: ticket)
        }
    }

    /// Returns the next files, or nil if there are none at the moment.
    func claimWithoutWaiting() -> PackedPaths? {
        guard !isPaused, head < waiting.count else { return nil }
        // The size is a share of the files that are done, so that with few files each lane gets some.
        let maximum = min(max(1, taken / 16), Self.maximumClaim)
        var bytes = 0
        let paths = waiting[head...].prefix(maximum).prefix { path in
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
