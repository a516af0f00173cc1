/// What came of a round.
struct ChaosResult {
    /// The promises that were broken, each in a sentence.
    var violations: [String] = []
    /// How many events, or calls, ended how.
    var ends: [String: Int] = [:]
    /// How many events ended later than the machine's pace lets one expect.
    var late = 0
    /// How long the last event took to end when all had been sent.
    var waited = Duration.zero
    /// How many faults have happened to workers.
    var workerFaults = 0
    /// How many have happened to clients.
    var clientFaults = 0
}
