/// What is known of the end of a worker, for whoever looks for its reason.
///
/// It holds what the worker has written, maybe with values of the application in it: only the coordinator's own program
/// has it, and what that hands on in an action. Clients are told where the coordinator allows it
/// (`CoordinatorConfiguration.sharesCrashReports`).
public struct CrashReport: Sendable, Hashable, Codable {
    /// The group of the worker; empty for that of features in none.
    public let group: String
    /// The life of the worker that ended.
    public let incarnation: UInt64
    /// The worker's process.
    public let processID: Int32
    /// How long it had lived, from its start.
    public let lifetime: Duration
    /// The last lines that it wrote to its standard error, oldest first, 32 of 1,024 bytes at most (three times as many
    /// where they are no UTF-8); of a trap of Swift those from its message on, which tells file and line.
    public let output: [String]
    /// The event in whose turn it ended, which is to blame for it; nil: it was in none, or in that of an effect's
    /// action, or that is not known.
    public let turn: EventID?
    /// Events that were on their way to it or had just come, and that were not acknowledged: the last ones of each
    /// instance, taken by turns, 16 at most.
    public let events: [EventID]
    /// The names of effects that ran: 16 at most, in their order.
    public let effects: [String]

    public init(
        group: String,
        incarnation: UInt64,
        processID: Int32,
        lifetime: Duration,
        output: [String] = [],
        turn: EventID? = nil,
        events: [EventID] = [],
        effects: [String] = []
    ) {
        self.group = group
        self.incarnation = incarnation
        self.processID = processID
        self.lifetime = lifetime
        self.output = output
        self.turn = turn
        self.events = events
        self.effects = effects
    }

    /// How many events and effects one tells.
    package static let longestList = 16
}
