import LatticeCore
import Observation

extension ViewModel {
    /// What it shows of its worker as soon as that is not this one, or does not serve any more.
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
    /// Of the worker that serves; nil while none does.
    fileprivate var processID: Int32? {
        guard case .serving(let serving) = self else { return nil }
        return serving.processID
    }

    /// How long the next worker is waited for before it is started.
    var backoff: Duration {
        guard case .restarting(let restart) = self else { return .zero }
        return restart.delay
    }
}
