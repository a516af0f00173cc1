/// How long a ``TestClock`` waits for work that it cannot see.
///
/// Work that is not asleep is somewhere on its way: started and not scheduled yet, changing actors, or between two
/// sleeps. The clock lets others run, round by round, until a number of rounds *and* some real time have passed in
/// which nobody asked it for anything. Rounds alone would be too short where the machine is busy and a thread of ours
/// is held up; real time alone where everything is slow.
struct QuiescencePolicy {
    /// Quiet rounds after which all is taken to be at rest.
    static let quietRounds = 6
    /// Quiet time after which all is taken to be at rest.
    static let quietTime: Duration = .milliseconds(2)
    /// The same, while nobody sleeps: whoever moves a clock expects that somebody will.
    static let quietTimeWithoutSleepers: Duration = .milliseconds(20)

    /// What one step counts at most where time is limited: it takes longer only where others have the threads.
    static let longestStep: Duration = .milliseconds(20)

    private var seen: Sleepers.Activity
    private var rounds = 0
    private var since = ContinuousClock.now

    init(_ activity: Sleepers.Activity) {
        seen = activity
    }

    private(set) var isOver = false

    /// One round: lets go first what waits for a thread, at whatever priority, or for the main actor. Where those are
    /// busy with something else, it takes as long as that.
    static func round() async {
        await letOthersRun(at: [.high, .medium, .low, .background])
        await MainActor.run {}
    }

    /// Takes note of a round that has passed.
    mutating func look(at activity: Sleepers.Activity, at now: ContinuousClock.Instant = .now) {
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
