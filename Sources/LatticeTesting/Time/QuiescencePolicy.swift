/// The policy by which a ``TestClock`` waits for work that it cannot see.
///
/// Work that does not sleep on the clock may have been started but not scheduled yet, may be changing actors, or may be
/// between two sleeps. The clock lets other tasks run, round by round, until a number of rounds *and* some real time
/// have passed without a request to the clock. Rounds alone would be too short on a busy machine where one of the
/// threads is held up. Real time alone would be too short where everything is slow.
struct QuiescencePolicy {
    /// The number of quiet rounds after which all work is considered to be at rest.
    static let quietRounds = 6
    /// The quiet time after which all work is considered to be at rest.
    static let quietTime: Duration = .milliseconds(2)
    /// The quiet time while no task sleeps. It is longer because a test that moves a clock expects that a task will
    /// sleep.
    static let quietTimeWithoutSleepers: Duration = .milliseconds(20)

    /// The maximum time that one step counts against a timeout. A step only takes longer if other work occupies the
    /// threads.
    static let longestStep: Duration = .milliseconds(20)

    private var seen: Sleepers.Activity
    private var rounds = 0
    private var since = ContinuousClock.now

    init(_ activity: Sleepers.Activity) {
        seen = activity
    }

    /// A Boolean value that indicates whether all work is considered to be at rest.
    private(set) var isOver = false

    /// Runs one round: lets all tasks run that wait for a thread at any priority, or for the main actor. If those are
    /// busy, the round takes as long as that.
    static func round() async {
        await letOthersRun(at: [.high, .medium, .low, .background])
        await MainActor.run {}
    }

    /// Takes a completed round into account.
    mutating func observe(_ activity: Sleepers.Activity, at now: ContinuousClock.Instant = .now) {
        guard activity == seen, activity.waking == 0 else {
            seen = activity
            rounds = 0
            since = now
            return
        }
        rounds += 1
        let time = activity.hasSleepers ? Self.quietTime : Self.quietTimeWithoutSleepers
        isOver = rounds >= Self.quietRounds && since.duration(to: now) >= time
    }
}
