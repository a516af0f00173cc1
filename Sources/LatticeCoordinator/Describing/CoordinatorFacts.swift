import LatticeCore

/// What a description of the coordinator needs and its client registry does not own.
struct CoordinatorFacts: Sendable {
    /// The path of the socket, or nil if the coordinator does not accept clients.
    var socketPath: String?
    /// The number that names this process of a coordinator.
    var coordinatorID: UInt64 = 0
    /// The number of files that the process may have open.
    var maximumOpenFiles: Int?
    /// The workers.
    var placement = Placement([])
    /// The groups in which the workers are placed.
    var groups: [PlacedGroup] = []
    /// The events that ended their worker twice.
    var quarantine = Quarantine()
    /// The last terminations of workers.
    var terminations = TerminationRecorder()
    /// The newest records of the log.
    var log = LogKeeper()
    /// The settings and where they come from. Nil if no coordinator owns them.
    var settings: CoordinatorSettings?
    /// The time at which the coordinator was created.
    let start = ContinuousClock.now
}
