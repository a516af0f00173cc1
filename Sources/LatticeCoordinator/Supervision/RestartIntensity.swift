import LatticeSession

/// A maximum number of restarts within a time, for one worker or for all children of a group.
///
/// ```swift
/// configuration.restart.intensity = RestartIntensity(restarts: 3, period: .seconds(60))
/// ```
public struct RestartIntensity: Sendable, Hashable {
    /// The maximum number of restarts within ``period``. It must not be negative. After one more death the supervisor
    /// gives up.
    public var restarts: Int
    /// The time in which restarts are counted. It must be at least one millisecond. The time until a hanging worker was
    /// noticed is not included.
    public var period: Duration

    /// Creates an intensity with the given number of restarts within the given time.
    public init(restarts: Int, period: Duration) {
        self.restarts = restarts
        self.period = period
    }

    /// Checks both settings.
    ///
    /// - Parameter name: The name of the setting that has this value, for the error.
    func check(_ name: String) throws(ConfigurationError) {
        try Settings.check("\(name).restarts", count: restarts)
        try Settings.check("\(name).period", period)
    }
}
