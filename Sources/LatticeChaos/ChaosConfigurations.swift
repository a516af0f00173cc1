import LatticeClient
import LatticeCoordinator
import Logging

extension CoordinatorConfiguration {
    /// Creates a configuration that restarts workers immediately and without limit, and that has short timeouts.
    static func chaos(mark: String, patience: Duration, _ pace: ChaosPace) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.openTimeout = patience
        configuration.restart.initialDelay = .zero
        configuration.restart.maximumDelay = .milliseconds(10)
        configuration.restart.intensity.restarts = .max
        configuration.restart.maximumAnsweredDeaths = .max
        configuration.restart.maximumFailedStarts = .max
        configuration.restart.bootTimeout = pace.bootTimeout
        configuration.teardownTimeout = .milliseconds(200)
        // The effects of a killed client do not end by themselves.
        configuration.drainTimeout = .milliseconds(200)
        configuration.workerEnvironment[Leftovers.variable] = mark
        // Swift's crash handler keeps a crashing worker for seconds, and each poison event crashes two workers. On a
        // machine with other work, this takes longer than a turn may take.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return configuration
    }

    /// Creates a configuration that starts the process of a client only once.
    static func chaosClient(mark: String) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.restart.kind = .temporary
        configuration.workerEnvironment[Leftovers.variable] = mark
        return configuration
    }
}

extension ClientConfiguration {
    /// Creates a configuration that reconnects immediately.
    static func chaos(patience: Duration) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.logger.logLevel = .critical
        configuration.openTimeout = patience
        configuration.reconnect.initialDelay = .milliseconds(1)
        configuration.reconnect.maximumDelay = .milliseconds(50)
        return configuration
    }
}
