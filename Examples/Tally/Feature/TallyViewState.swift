/// What a screen shows of a tally.
struct TallyViewState: Codable, Equatable, Sendable {
    struct Failure: Codable, Equatable, Sendable {
        var path: String
        var reason: String
    }

    /// How many of the newest failures are shown.
    static let shownFailures = 5

    var phase: TallyState.Phase = .idle
    var filesDone = 0
    var filesFound = 0
    /// Whether `filesFound` is all there are.
    var isWalked = false
    var bytes: UInt64 = 0
    var bytesPerSecond: Double = 0
    /// nil while the walk goes on or nothing was counted yet.
    var secondsLeft: Double?
    var workerProcessID: Int32 = 0
    var incarnation = 0
    var failureCount = 0
    var newestFailures: [Failure] = []
}
