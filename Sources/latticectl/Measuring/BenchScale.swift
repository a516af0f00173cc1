import Glibc

/// How much is measured. The counts are those of the peers that this is set beside, divided by the variable PEERS_DIV
/// if it is set.
enum BenchScale {
    static let roundTrips = divided(20_000)
    static let events = divided(200_000)
    static let warmUp = divided(2_000)
    /// Of a stream.
    static let elements = divided(2_000_000)
    /// Events in flight at most, when they are not sent one after the other.
    static let window = 256
    /// Events with a pause after each.
    static let paced = divided(2_000)
    static let broadcasts = divided(2_000)
    static let subscribers = 100
    /// In this process, without effects.
    static let sends = max(SendRounds.sendsAtOnce, divided(1_000_000))
    static let effectsAtOnce = divided(20_000)
    static let observedElements = divided(100_000)
    /// Of large states.
    static let changes = divided(2_000)
    /// Of a state of elements with keys, in so many parts that take turns with those of other sizes.
    static let keyedChanges = divided(20_000)
    static let turns = divided(20)
    static let manyChanges = divided(100_000)
    static let moves = divided(400)
    static let patches = divided(500)
    static let snapshots = divided(20)
    /// How often a value of 10 MB is encoded and decoded.
    static let largeValues = divided(20)

    /// Of 5 ms each, in a pool.
    static let jobs = divided(400)
    static let besideComputing = divided(1_000)
    /// Workers that are killed, of each kind.
    static let deaths = divided(40)
    /// Turns that do not end.
    static let hangs = divided(5)
    static let coordinatorDeaths = divided(20)
    /// Of which each serves one instance.
    static let workers = divided(100)
    /// What is beside something, and without it, by turns.
    static let comparisons = divided(7)
    /// How long each side of these is measured.
    static let comparisonTime: Duration = .milliseconds(divided(2_000))

    private static let divisor = max(1, getenv("PEERS_DIV").flatMap { Int(String(cString: $0)) } ?? 1)

    private static func divided(_ count: Int) -> Int { max(1, count / divisor) }
}
