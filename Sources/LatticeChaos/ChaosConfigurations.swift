import LatticeClient
import LatticeCoordinator
import Logging

extension CoordinatorConfiguration {
    /// Starts workers again for ever, at once, and waits for nobody for long.
    static func chaos(mark: String, patience: Duration, _ pace: ChaosPace) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.openTimeout = patience
        configuration.restart.initialDelay = .zero
        configuration.restart.maximumDelay = .milliseconds(10)
        configuration.restart.intensity = .max
        configuration.restart.answeredDeaths = .max
        configuration.restart.bootIntensity = .max
        configuration.restart.bootTimeout = pace.bootTimeout
        configuration.teardownTimeout = .milliseconds(200)
        // What a client has left running that was killed does not end by itself.
        configuration.drainTimeout = .milliseconds(200)
        configuration.workerEnvironment[Leftovers.variable] = mark
        // Swift's crash handler keeps a worker that crashes for seconds, which each poisonous event does twice: on a
        // machine with other work for longer than a turn may take.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return configuration
    }

    /// Starts a client's process, once.
    static func chaosClient(mark: String) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger.logLevel = .critical
        configuration.restart.kind = .temporary
        configuration.workerEnvironment[Leftovers.variable] = mark
        return configuration
    }
}

extension ClientConfiguration {
    /// Connects again at once.
    static func chaos(patience: Duration) -> ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.openTimeout = patience
        configuration.reconnect.initialDelay = .milliseconds(1)
        configuration.reconnect.maximumDelay = .milliseconds(50)
        return configuration
    }
}
