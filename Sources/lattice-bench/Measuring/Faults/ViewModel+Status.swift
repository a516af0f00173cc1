import LatticeCore
import Observation

extension ViewModel {
    /// Waits until the view model shows the status of another worker, or of none, and returns that status.
    ///
    /// - Parameters:
    ///   - worker: The worker that ends.
    ///   - limit: The maximum time to wait.
    /// - Throws: `BenchError` if the worker is still there after the limit.
    func status(after worker: ProcessFigures, within limit: Duration) async throws -> HostStatus {
        try await Deadline.run(within: limit, waitingFor: "the report of a worker's end") {
            for await status in Observations({ self.hostStatus }) where status.processID != worker.processID {
                return status
            }
            throw CancellationError()
        }
    }
}

extension HostStatus {
    /// The process of the worker that serves, even if it is not responding at the moment, or nil if there is none.
    fileprivate var processID: Int32? {
        switch self {
        case .serving(let serving): serving.processID
        case .unresponsive(let worker): worker.processID
        default: nil
        }
    }

    /// The delay after which the next worker is started.
    var backoff: Duration {
        guard case .restarting(let restart) = self else { return .zero }
        return restart.delay
    }
}
