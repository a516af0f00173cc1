/// The rule that limits the number of disconnected clients that a coordinator waits for.
///
/// If there are too many, the rule takes the process that has the most of them and selects the client that has been
/// away longest. A program that connects again and again under new identities therefore uses up its own places, and not
/// those of clients that lost their connection.
struct AbsentClients<ID> {
    /// A client that is disconnected.
    struct Absence {
        let id: ID
        /// The ID of the client's process, if the system provides it.
        let process: Int32?
        let since: ContinuousClock.Instant
    }

    let limit: Int

    /// Returns the client to forget, or nil if there are not too many.
    func clientToForget(of absent: [Absence]) -> ID? {
        guard absent.count > limit else { return nil }
        let counts = absent.reduce(into: [:]) { counts, absence in counts[absence.process, default: 0] += 1 }
        let maximum = counts.values.max()
        return absent.filter { counts[$0.process] == maximum }.min { $0.since < $1.since }?.id
    }
}
