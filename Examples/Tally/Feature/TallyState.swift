import LatticeCore

/// What was counted, and what is being counted right now: enough for another worker to go on.
struct TallyState: Codable, Equatable, Sendable {
    enum Phase: String, Codable, Sendable {
        case idle, counting, paused, finished, cancelled

        var isFinal: Bool { self == .finished || self == .cancelled }
    }

    struct Failure: Codable, Equatable, Sendable {
        var path: [UInt8]
        var reason: String
    }

    /// A portion that a lane has taken and not brought back.
    struct Claim: Codable, Equatable, Sendable {
        var portion: Int
        /// Bytes read of it so far.
        var bytes: UInt64 = 0
    }

    var phase: Phase = .idle
    /// How often counting was paused and resumed: odd is paused. It only grows, so that the effects of a pause and of
    /// a resumption, which may overtake one another, tell which came later.
    var switches = 0
    var request: ScanRequest?
    /// All that was counted and is being counted, by number.
    var portions: StateDictionary<Int, Portion> = [:]
    /// Files that were counted, and their bytes.
    var countedFiles = 0
    var countedBytes: UInt64 = 0
    /// By number.
    var failures: StateDictionary<Int, Failure> = [:]
    /// How many of them are directories, which no lane takes.
    var unreadableDirectories = 0
    /// Files found so far in the present walk, counted ones included.
    var found = 0
    var isWalked = false
    /// By lane.
    var claims: [Int: Claim] = [:]
    /// Lanes that have not run out of files.
    var openLanes = 0
    /// Files that were being counted when a worker crashed; they are counted one at a time before all else. By number.
    var suspects: StateDictionary<Int, [UInt8]> = [:]
    /// The worker's process.
    var processID: Int32 = 0
    /// How many workers took part.
    var incarnations = 0
    /// Seconds of counting by workers that are gone, and by the present one, both without pauses.
    var pastSeconds: Double = 0
    var seconds: Double = 0

    /// Files that are dealt with.
    var done: Int { countedFiles + failures.count }
    var bytes: UInt64 { countedBytes + claims.values.reduce(0) { $0 + $1.bytes } }
}

// MARK: Changes

extension TallyState {
    mutating func add(_ new: some Sequence<Failure>) {
        for failure in new { failures[failures.count] = failure }
    }

    mutating func suspect(_ paths: some Sequence<[UInt8]>) {
        for path in paths { suspects[Self.next(suspects)] = path }
    }

    /// A lane takes files; the portion has no counts yet.
    mutating func claim(_ paths: PackedPaths, by lane: Int) {
        let number = Self.next(portions)
        portions[number] = Portion(paths: paths)
        claims[lane] = Claim(portion: number)
    }

    /// A lane has counted what it had taken.
    mutating func record(_ counted: CountedFiles, by lane: Int) {
        guard let claim = claims.removeValue(forKey: lane) else { return }
        portions[claim.portion]?.counts = counted.counts
        add(counted)
    }

    /// The suspect was counted, and is none any more.
    mutating func clear(_ counted: CountedFiles) {
        guard let (number, path) = suspects.first else { return }
        suspects[number] = nil
        portions[Self.next(portions)] = Portion(paths: PackedPaths([path]), counts: counted.counts)
        add(counted)
    }

    /// Nobody counts any more what was taken.
    ///
    /// - Returns: The paths.
    @discardableResult
    mutating func giveUpClaims() -> [[UInt8]] {
        defer { claims = [:] }
        return claims.values.compactMap { portions.removeValue(forKey: $0.portion)?.paths }.flatMap(Array.init)
    }

    private mutating func add(_ counted: CountedFiles) {
        countedFiles += counted.files
        countedBytes += counted.bytes
        add(counted.failures)
        seconds = pastSeconds + counted.seconds
    }

    private static func next<Value>(_ values: StateDictionary<Int, Value>) -> Int {
        guard !values.isEmpty else { return 0 }
        return values[values.index(values.startIndex, offsetBy: values.count - 1)].key + 1
    }
}
