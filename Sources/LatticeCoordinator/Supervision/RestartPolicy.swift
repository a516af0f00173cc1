import LatticeSession

/// The rules for restarting a worker that ended: whether it is started again, after which delay, and when the
/// supervisor gives up.
public struct RestartPolicy: Sendable, Equatable {
    /// The ends after which a worker is started again.
    public struct Kind: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind, such as "permanent".
        public let description: String

        /// The worker is always started again.
        public static let permanent = Kind(description: "permanent")
        /// The worker is started again unless it ended with exit code 0.
        public static let transient = Kind(description: "transient")
        /// The worker is never started again.
        public static let temporary = Kind(description: "temporary")
    }

    /// The ends after which the worker is started again. The default is all ends.
    public var kind: Kind = .permanent
    /// The delay after the first death. A worker that was stable before it died is started again without delay.
    public var initialDelay: Duration = .milliseconds(100)
    /// The factor by which the delay grows with each death since the worker was last stable.
    public var factor: Double = 2
    /// The maximum delay.
    public var maximumDelay: Duration = .seconds(30)
    /// The fraction of the delay, from 0 to 1, by which the delay varies at random. It keeps many programs from
    /// restarting at the same moment.
    public var jitter: Double = 0.2
    /// The maximum number of restarts after a death, and the time in which they are counted. After one more death the
    /// supervisor gives up.
    ///
    /// A death caused by an event that is then quarantined does not count, unless more than `intensity.restarts` events
    /// in a row are quarantined without an acknowledged state between them. Deaths that ``maximumAnsweredDeaths``
    /// allows do not count either.
    public var intensity = RestartIntensity(restarts: 5, period: .seconds(10))
    /// The time after which a running worker is stable. Earlier deaths are then forgotten.
    public var stableTime: Duration = .seconds(10)
    /// The maximum number of deaths that do not count against the worker because named effects ran, so that the feature
    /// can find out in `recovery` which one is to blame. They are counted since the worker was last stable, and only if
    /// the worker caused its end itself. See `Emission.named(_:whenInterrupted:)`.
    ///
    /// A feature that sets aside the inputs that end its workers needs two incarnations for each such input. The
    /// default allows it to find 250 of them that are processed at the same time.
    public var maximumAnsweredDeaths: Int = 500
    /// The maximum number of successive starts that end before the worker completes its handshake. Such a worker is
    /// broken rather than unlucky, so these starts have a budget and an error message of their own.
    public var maximumFailedStarts: Int = 5
    /// The time that a start may take until the worker completes its handshake.
    public var bootTimeout: Duration = .seconds(10)
    /// The delay after which a worker that was given up is started once more, as a probe. If the probe does not become
    /// stable, the worker is given up for the same time again. If nil, only a reset starts it.
    ///
    /// There is no probe for a worker that was given up because of its `kind`, or that was refused in its handshake.
    public var probeDelay: Duration? = .seconds(60)

    /// Creates a policy with the default settings.
    public init() {}

    func check() throws(ConfigurationError) {
        try Settings.check("restart.initialDelay", initialDelay, from: .zero)
        try Settings.check("restart.maximumDelay", maximumDelay, notBelow: ("restart.initialDelay", initialDelay))
        try Settings.check("restart.factor", factor: factor)
        try Settings.check("restart.jitter", number: jitter, 0...1)
        try intensity.check("restart.intensity")
        try Settings.check("restart.stableTime", stableTime, from: .zero)
        try Settings.check("restart.maximumAnsweredDeaths", count: maximumAnsweredDeaths)
        try Settings.check("restart.maximumFailedStarts", count: maximumFailedStarts)
        try Settings.check("restart.bootTimeout", bootTimeout)
        if let probeDelay { try Settings.check("restart.probeDelay", probeDelay) }
    }
}
