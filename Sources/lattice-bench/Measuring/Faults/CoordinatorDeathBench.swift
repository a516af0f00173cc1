import Glibc
import LatticeCore

/// Kills a coordinator, and measures how long it takes until all of its processes are gone: the coordinator, its
/// worker, and the programs that the worker has started, in its process group and in another session.
@MainActor struct CoordinatorDeathBench {
    private static let timeout: Duration = .seconds(10)
    /// The interval at which the processes are checked.
    private static let period: Duration = .milliseconds(1)

    func run(into report: BenchReport) async throws {
        var latencies = Latencies()
        try await Rounds.run(BenchScale.coordinatorDeaths) { _ in
            latencies.record(try await OtherProcess.with("part", "coordinate") { try await kill($0) })
        }
        report.add(times: "coordinator killed until no process is left", latencies, key: "coordinator_death")
    }

    private func kill(_ coordinator: OtherProcess) async throws -> Duration {
        let started = coordinator.greeting.split { !$0.isNumber }.compactMap { Int32($0) }
        let processes = ([coordinator.processID] + started).map(ProcessFigures.init)
        guard processes.count == 4, processes.allSatisfy({ $0.state != nil }) else {
            throw BenchError("a coordinator, a worker and two programs should run, but these do: \(processes)")
        }
        // The processes are killed even if they outlive the timeout.
        defer { for process in processes where process.state != nil { Glibc.kill(process.processID, SIGKILL) } }
        let start = SuspendingClock.now
        Glibc.kill(coordinator.processID, SIGKILL)
        try await Deadline.run(within: Self.timeout, waitingFor: "the end of all processes of a coordinator") {
            while processes.contains(where: { $0.state != nil }) { try await Task.sleep(for: Self.period) }
        }
        return start.duration(to: .now)
    }
}
