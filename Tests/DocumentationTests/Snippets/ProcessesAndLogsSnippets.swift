import LatticeCoordinator

/// The blocks of ProcessesAndLogs.md.
struct ProcessesAndLogsSnippets {
    func verbose() -> CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.workerBacktraces = .full
        configuration.backtraceTimeout = .seconds(30)
        return configuration
    }
}
