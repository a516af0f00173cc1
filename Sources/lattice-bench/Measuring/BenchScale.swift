import Glibc

/// The number of operations of each measurement. The counts are the same as in the programs to which the bench is
/// compared. The environment variable PEERS_DIV divides them.
enum BenchScale {
    static let roundTrips = divided(20_000)
    static let events = divided(200_000)
    static let warmUp = divided(2_000)
    /// The round trips while the main actor of the coordinator is mostly busy.
    static let roundTripsWhileBusy = divided(2_000)
    /// The events in flight while the main actor of the coordinator is mostly busy.
    static let eventsWhileBusy = divided(20_000)
    /// The elements of a stream.
    static let elements = divided(2_000_000)
    /// The maximum number of events in flight, if they are not sent one after the other.
    static let window = 256
    /// The events that are sent with a pause after each.
    static let paced = divided(2_000)
    static let broadcasts = divided(2_000)
    static let subscribers = 100
    /// The sends in this process without effects.
    static let sends = max(SendRounds.sendsAtOnce, divided(1_000_000))
    static let effectsAtOnce = divided(20_000)
    static let observedElements = divided(100_000)
    /// The changes of large states.
    static let changes = divided(2_000)
    /// The changes of a state with keyed elements. They are divided into parts, which alternate with those of other
    /// sizes.
    static let keyedChanges = divided(20_000)
    static let turns = divided(20)
    static let manyChanges = divided(100_000)
    static let moves = divided(400)
    static let patches = divided(500)
    static let snapshots = divided(20)
    /// The number of times that a value of 10 MB is encoded and decoded.
    static let largeValues = divided(20)

    /// The jobs of 5 ms each in a pool.
    static let jobs = divided(400)
    /// The jobs of a pool of jobs that do nothing, that take 1 ms, and that take 100 ms. The last number is not
    /// divided, here as in `.ci/job-peers`, because a few such jobs show no rate.
    static let emptyJobs = divided(40_000)
    static let shortJobs = divided(4_000)
    static let longJobs = 40
    /// The pools that are started, and the jobs that pass a limit. They are not divided, because their medians would be
    /// of one or two samples.
    static let jobStarts = 20
    static let jobLimits = 20
    static let besideComputing = divided(1_000)
    /// The workers of each kind that are killed.
    static let deaths = divided(40)
    /// The turns that do not end.
    static let hangs = divided(5)
    static let coordinatorDeaths = divided(20)
    /// The clients that connect, and half of which are killed.
    static let crowd = divided(1_000)
    /// The events that have a deadline.
    static let deadlines = divided(10_000)
    /// The workers that serve one instance each.
    static let workers = divided(100)
    /// The rounds of a comparison, which alternate with those of its reference.
    static let comparisons = divided(7)
    /// The duration of each side of a round of some comparisons.
    static let comparisonTime: Duration = .milliseconds(divided(2_000))

    private static let divisor = max(1, getenv("PEERS_DIV").flatMap { Int(String(cString: $0)) } ?? 1)

    private static func divided(_ count: Int) -> Int { max(1, count / divisor) }
}
