import LatticeSession

/// When a worker that ended is started again, after how long, and when not any more.
public struct RestartPolicy: Sendable, Equatable {
    /// Which ends call for a new start.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// Started again however it ended.
        public static let permanent = Kind(description: "permanent")
        /// Started again unless it ended with exit code 0.
        public static let transient = Kind(description: "transient")
        /// Never started again.
        public static let temporary = Kind(description: "temporary")
    }

    /// Which ends call for a new start: all.
    public var kind: Kind = .permanent
    /// The wait after the first of several deaths in a row. A worker that had run for `stableTime` is started again at
    /// once.
    public var initialDelay: Duration = .milliseconds(100)
    /// By how much the wait grows with each further death.
    public var factor: Double = 2
    /// The longest wait.
    public var maximumDelay: Duration = .seconds(30)
    /// The share of the wait, from 0 to 1, by which it varies at random, so that many programs do not restart in step.
    public var jitter: Double = 0.2
    /// How many deaths within `period` are taken before the supervisor gives up. A life that got a state acknowledged
    /// made progress and clears the count, as long as `shortLives` allows.
    public var intensity: Int = 5
    /// The time in which `intensity` deaths are too many.
    public var period: Duration = .seconds(10)
    /// A life this long counts as stable.
    public var stableTime: Duration = .seconds(1)
    /// How many lives in a row may be shorter than `stableTime`, with progress or without: a feature whose recovery
    /// changes the state and then dies again makes progress for ever. A feature that sets aside what kills it needs two
    /// lives for each such thing, so the default lets it find 250 of them side by side.
    public var shortLives: Int = 500
    /// How many starts in a row are taken to end before the worker has said hello. Such a worker is broken rather than
    /// unlucky, so the budget and the message are other ones.
    public var bootIntensity: Int = 5
    /// How long a start may take until the worker says hello.
    public var bootLimit: Duration = .seconds(10)

    /// The defaults.
    public init() {}

    func check() throws(SettingsFault) {
        try Settings.check("restart.initialDelay", initialDelay, from: .zero)
        try Settings.check("restart.maximumDelay", maximumDelay, notBelow: ("restart.initialDelay", initialDelay))
        try Settings.check("restart.factor", factor: factor)
        try Settings.check("restart.jitter", number: jitter, 0...1)
        try Settings.check("restart.intensity", count: intensity)
        try Settings.check("restart.period", period)
        try Settings.check("restart.stableTime", stableTime, from: .zero)
        try Settings.check("restart.shortLives", count: shortLives)
        try Settings.check("restart.bootIntensity", count: bootIntensity)
        try Settings.check("restart.bootLimit", bootLimit)
    }
}
