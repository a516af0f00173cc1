/// The settings of a ``JobPool``.
public struct JobPoolConfiguration: Sendable {
    /// The maximum number of jobs that wait, at least 1. Further jobs of all callers are refused with the code
    /// `overloaded`. The callers share the room, and take turns only with jobs that were accepted. Each waiting job
    /// keeps its encoded value in memory. The default is 65,536.
    public var maximumWaiting: Int
    /// The maximum number of jobs that run at a time, at least 1, or nil for as many as the group has workers.
    public var width: Int?
    /// The maximum number of jobs that are set aside, at least 1. If there is one more, the oldest one is dropped. The
    /// default is 256.
    public var maximumSetAside: Int
    /// The options of jobs that are submitted without options.
    public var options: JobOptions
    /// When a worker is replaced by a new one. By default, it never is.
    public var reuse: WorkerReuse

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - width: The maximum number of jobs that run at a time, or nil for as many as the group has workers.
    ///   - maximumWaiting: The maximum number of jobs that wait.
    ///   - maximumSetAside: The maximum number of jobs that are set aside.
    ///   - options: The options of jobs that are submitted without options.
    ///   - reuse: When a worker is replaced by a new one.
    public init(
        width: Int? = nil,
        maximumWaiting: Int = 65_536,
        maximumSetAside: Int = 256,
        options: JobOptions = JobOptions(),
        reuse: WorkerReuse = .unlimited
    ) {
        self.width = width
        self.maximumWaiting = maximumWaiting
        self.maximumSetAside = maximumSetAside
        self.options = options
        self.reuse = reuse
    }

    func check() throws(JobError) {
        for (name, number) in [
            ("width", width), ("maximumWaiting", maximumWaiting), ("maximumSetAside", maximumSetAside),
        ] {
            if let number, number < 1 { throw .invalid("\(name) of the pool is \(number); choose 1 or more") }
        }
        try options.check()
        try reuse.check()
    }
}
