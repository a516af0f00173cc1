/// Which of the clients that are away are waited for, if they are too many.
///
/// Of the process that has the most the one is forgotten that is away longest: who comes again and again under other
/// names takes the places of its own, and not of those that lost their connection.
struct AbsentClients<ID> {
    /// A client that is away.
    struct Absence {
        let id: ID
        /// Whose it was, if the system says that.
        let process: Int32?
        let since: ContinuousClock.Instant
    }

    let limit: Int

    /// - Returns: Whom to forget; nil: nobody.
    func leaving(of absent: [Absence]) -> ID? {
        guard absent.count > limit else { return nil }
        let counts = absent.reduce(into: [:]) { counts, absence in counts[absence.process, default: 0] += 1 }
        let most = counts.values.max()
        return absent.filter { counts[$0.process] == most }.min { $0.since < $1.since }?.id
    }
}
