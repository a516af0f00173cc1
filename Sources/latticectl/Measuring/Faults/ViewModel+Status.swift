import LatticeCore
import Observation

extension ViewModel {
    /// What it shows of its worker as soon as that is not this one, or is not there any more.
    ///
    /// - Throws: `BenchError` if the worker is there for so long.
    func status(after worker: ProcessFigures, within limit: Duration) async throws -> HostStatus {
        try await Deadline.run(within: limit, waitingFor: "the news of a worker's end") {
            for await status in Observations({ self.hostStatus }) where status.processID != worker.processID {
                return status
            }
            throw CancellationError()
        }
    }
}

extension HostStatus {
    /// Of the worker that serves, if it does not answer just now either; nil while there is none.
    fileprivate var processID: Int32? {
        switch self {
        case .serving(let serving): serving.processID
        case .unresponsive(let worker): worker.processID
        default: nil
        }
    }

    /// How long the next worker is waited for before it is started.
    var backoff: Duration {
        guard case .restarting(let restart) = self else { return .zero }
        return restart.delay
    }
}
