package import LatticeCoordinator
import Logging

extension CoordinatorConfiguration {
    /// For a job: what the supervisor and the workers say goes to standard error, and workers may be killed for as long
    /// as somebody likes.
    package static func job(_ program: String) -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.logger = Logger(label: program) { _ in LineLogHandler(StatusLine.say) }
        configuration.restart.intensity = 100
        // A crash is an answer here, not a riddle: seconds of backtrace for each would only hold up the others.
        configuration.workerEnvironment["SWIFT_BACKTRACE"] = "enable=no"
        return configuration
    }
}
