import LatticeCore

/// The files that were counted or are being counted. They are enough for another worker to continue.
struct TallyState: Codable, Equatable, Sendable {
    enum Phase: String, Codable, Sendable {
        case idle, counting, paused, finished, cancelled

        var isFinal: Bool { self == .finished || self == .cancelled }
    }

    struct Failure: Codable, Equatable, Sendable {
        var path: [UInt8]
        var reason: String
    }

    /// A portion that a lane has taken and not finished.
    struct Claim: Codable, Equatable, Sendable {
        var portion: Int
        /// The number of its bytes that have been read.
        var bytes: UInt64 = 0
    }

    var phase: Phase = .idle
    /// The number of pauses and resumptions. If it is odd, the tally is paused. It only grows, so that the effects of a
    /// pause and a resumption, which may overtake each other, know which one came later.
    var switches = 0
    var request: ScanRequest?
    /// The counted portions and those being counted, by number.
    var portions: StateDictionary<Int, Portion> = [:]
    /// The number of counted files.
    var countedFiles = 0
    /// The bytes of the counted files.
    var countedBytes: UInt64 = 0
    /// The failures by number.
    var failures: StateDictionary<Int, Failure> = [:]
    /// The number of failures that are directories, which no lane takes.
    var unreadableDirectories = 0
    /// The number of files that the current walk has found, including counted ones.
    var found = 0
    var isWalked = false
    /// The claims by lane.
    var claims: [Int: Claim] = [:]
    /// The number of lanes that have not run out of files.
    var openLanes = 0
    /// The files that were being counted when a worker crashed, by number. They are counted first, one at a time.
    var suspects: StateDictionary<Int, [UInt8]> = [:]
    /// The process of the worker.
    var processID: Int32 = 0
    /// The number of workers that took part.
    var incarnations = 0
    /// The seconds of counting by earlier workers, without pauses.
    var pastSeconds: Double = 0
    /// The seconds of counting by all workers, without pauses.
    var seconds: Double = 0

    /// The number of files that are counted or have failed.
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

    /// Gives a portion to a lane. The portion has no counts yet.
    mutating func claim(_ paths: PackedPaths, by lane: Int) {
        let number = Self.next(portions)
        portions[number] = Portion(paths: paths)
        claims[lane] = Claim(portion: number)
    }

    /// Stores the counts of a lane's claim.
    mutating func record(_ counted: CountedFiles, by lane: Int) {
        guard let claim = claims.removeValue(forKey: lane) else { return }
        portions[claim.portion]?.counts = counted.counts
        add(counted)
    }

    /// Stores the counts of a suspect, which is no suspect any more.
    mutating func clear(_ counted: CountedFiles) {
        guard let (number, path) = suspects.first else { return }
        suspects[number] = nil
        portions[Self.next(portions)] = Portion(paths: PackedPaths([path]), counts: counted.counts)
        add(counted)
    }

    /// Removes all claims.
    ///
    /// - Returns: The paths of their files.
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
