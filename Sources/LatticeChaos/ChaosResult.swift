/// What came of a round.
struct ChaosResult {
    /// The promises that were broken, each in a sentence.
    var violations: [String] = []
    /// How many events, or calls, ended how.
    var ends: [String: Int] = [:]
    /// How many faults have happened to workers.
    var workerFaults = 0
    /// How many have happened to clients.
    var clientFaults = 0
}
