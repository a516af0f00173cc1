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
    /// The wait after the first death. After a stable life there is none.
    public var initialDelay: Duration = .milliseconds(100)
    /// By how much the wait grows with each death since the last stable life.
    public var factor: Double = 2
    /// The longest wait.
    public var maximumDelay: Duration = .seconds(30)
    /// The share of the wait, from 0 to 1, by which it varies at random, so that many programs do not restart in step.
    public var jitter: Double = 0.2
    /// How many deaths within `period` are taken before the supervisor gives up. Those that an event has caused which
    /// goes to quarantine do not count, as long as not more than so many events go there without a state being
    /// acknowledged between them; nor do those of ``answeredDeaths``.
    public var intensity: Int = 5
    /// The time in which `intensity` deaths are too many. Time in which a hanging worker was waited for is left out.
    public var period: Duration = .seconds(10)
    /// A life this long is stable: what was before counts no more.
    public var stableTime: Duration = .seconds(10)
    /// How many deaths since the last stable life are taken that the worker has caused itself while effects with names
    /// ran, which their feature answers for; see `Emission.named(_:whenInterrupted:)`. A feature that sets aside what
    /// ends its workers needs two lives for each such thing, so the default lets it find 250 of them side by side.
    public var answeredDeaths: Int = 500
    /// How many starts in a row are taken to end before the worker has said hello. Such a worker is broken rather than
    /// unlucky, so the budget and the message are other ones.
    public var bootIntensity: Int = 5
    /// How long a start may take until the worker says hello.
    public var bootTimeout: Duration = .seconds(10)
    /// How long after it was given up a worker is started once more, to see whether it serves again: if that life is
    /// not stable it is given up for as long again. nil: not before somebody resets it. One that its kind says is not
    /// to be started again, or that was not taken in, is not tried.
    public var probeDelay: Duration? = .seconds(60)

    /// The defaults.
    public init() {}

    func check() throws(ConfigurationError) {
        try Settings.check("restart.initialDelay", initialDelay, from: .zero)
        try Settings.check("restart.maximumDelay", maximumDelay, notBelow: ("restart.initialDelay", initialDelay))
        try Settings.check("restart.factor", factor: factor)
        try Settings.check("restart.jitter", number: jitter, 0...1)
        try Settings.check("restart.intensity", count: intensity)
        try Settings.check("restart.period", period)
        try Settings.check("restart.stableTime", stableTime, from: .zero)
        try Settings.check("restart.answeredDeaths", count: answeredDeaths)
        try Settings.check("restart.bootIntensity", count: bootIntensity)
        try Settings.check("restart.bootTimeout", bootTimeout)
        if let probeDelay { try Settings.check("restart.probeDelay", probeDelay) }
    }
}
