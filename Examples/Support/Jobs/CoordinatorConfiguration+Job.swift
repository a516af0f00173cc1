package import LatticeCoordinator
import Logging

extension CoordinatorConfiguration {
    /// Returns a configuration for a job. Logs of the supervisor and the workers go to standard error, and workers may
    /// be killed 100 times.
    package static func job(_ program: String) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger = Logger(label: program) { _ in LineLogHandler(StatusLine.say) }
        configuration.restart.intensity.restarts = 100
        // A crash is an expected result here. A backtrace would take seconds each time and delay the other files.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return configuration
    }
}
