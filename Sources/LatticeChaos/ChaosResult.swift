/// The result of a round.
struct ChaosResult {
    /// The broken guarantees, each in a sentence.
    var violations: [String] = []
    /// The number of events, calls or jobs by the way in which they ended.
    var ends: [String: Int] = [:]
    /// The number of events that ended later than is expected on this machine.
    var late = 0
    /// The time that the last event took to end after all had been sent.
    var waited = Duration.zero
    /// The number of faults of workers that have happened.
    var workerFaults = 0
    /// The number of faults of clients that have happened.
    var clientFaults = 0
}
