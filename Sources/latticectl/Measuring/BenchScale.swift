import Glibc

/// How much is measured. The counts are those of the peers that this is set beside.
struct BenchScale {
    let roundTrips: Int
    let events: Int
    let warmUp: Int
    /// Events in flight at most, when they are not sent one after the other.
    let window = 256
    let broadcasts: Int
    let subscribers = 100
    /// In this process, without effects.
    let sends: Int
    let effectsAtOnce: Int
    let observedElements: Int

    /// The counts, divided by the variable PEERS_DIV if it is set.
    static var ofEnvironment: BenchScale {
        let divisor = getenv("PEERS_DIV").flatMap { Int(String(cString: $0)) } ?? 1
        return BenchScale(dividedBy: max(1, divisor))
    }

    private init(dividedBy divisor: Int) {
        roundTrips = max(1, 20_000 / divisor)
        events = max(1, 200_000 / divisor)
        warmUp = max(1, 2_000 / divisor)
        broadcasts = max(1, 2_000 / divisor)
        sends = max(SendRounds.sendsAtOnce, 1_000_000 / divisor)
        effectsAtOnce = max(1, 20_000 / divisor)
        observedElements = max(1, 100_000 / divisor)
    }
}
