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

    /// Files that a lane has taken and not brought back.
    struct Claim: Codable, Equatable, Sendable {
        var lane: Int
        var paths: [[UInt8]]
        /// Bytes read of them so far.
        var bytes: UInt64 = 0
    }

    var phase: Phase = .idle
    /// How often counting was paused and resumed: odd is paused. It only grows, so that the effects of a pause and of
    /// a resumption, which may overtake one another, tell which came later.
    var switches = 0
    var request: ScanRequest?
    var ledger = Ledger()
    var failures: [Failure] = []
    /// How many of them are directories, which no lane takes.
    var unreadableDirectories = 0
    /// Files found so far in the present walk, counted ones included.
    var found = 0
    var isWalked = false
    var claims: [Claim] = []
    /// Lanes that have not run out of files.
    var openLanes = 0
    /// Files that were being counted when a worker crashed; they are counted one at a time before all else.
    var suspects: [[UInt8]] = []
    /// The suspect that is being counted.
    var isolated: [UInt8]?
    /// The worker's process.
    var processID: Int32 = 0
    /// How many workers took part.
    var incarnations = 0
    /// Seconds of counting by workers that are gone, and by the present one, both without pauses.
    var pastSeconds: Double = 0
    var seconds: Double = 0

    /// Files that are dealt with.
    var done: Int { ledger.count + failures.count }
    var bytes: UInt64 { ledger.bytes + claims.reduce(0) { $0 + $1.bytes } }
}
