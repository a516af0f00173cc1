/// Information about the end of a worker, for finding its cause.
///
/// A report contains output of the worker, which can include values of the application. It is therefore available only
/// in the coordinator's own program, and wherever that program passes it on in an action. Clients receive it if the
/// coordinator allows it (`CoordinatorConfiguration.sharesCrashReports`).
public struct CrashReport: Sendable, Hashable, Codable {
    /// The group of the worker. It is empty for features that are in no group.
    public let group: String
    /// The incarnation of the worker that ended.
    public let incarnation: UInt64
    /// The process ID of the worker.
    public let processID: Int32
    /// The time from the start of the worker to its end.
    public let lifetime: Duration
    /// The last lines that the worker wrote to standard error, oldest first: at most 32 lines of at most 1,024 bytes
    /// each. A line that is not valid UTF-8 can be three times as long. After a trap of Swift, the lines start with the
    /// trap's message, which contains file and line.
    public let output: [String]
    /// The event whose turn ended the worker and which is therefore blamed. It is nil if the worker was in no turn or
    /// in the turn of an effect's action, or if the event is unknown.
    public let turn: EventID?
    /// Events that were being sent to the worker or had just arrived, and that were not acknowledged. There are at most
    /// 16, the last ones of each instance, taken from the instances in turn.
    public let events: [EventID]
    /// The names of the effects that were running, sorted, at most 16.
    public let effects: [String]

    /// Creates a report.
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

    /// The maximum number of events and of effects in a report.
    package static let longestList = 16
}
