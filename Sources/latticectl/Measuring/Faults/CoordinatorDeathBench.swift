import Glibc
import LatticeCore

/// A coordinator is killed: how long until nothing is left of it, of its worker, and of what that has started, in its
/// process group and in a session of its own.
@MainActor struct CoordinatorDeathBench {
    private static let limit: Duration = .seconds(10)
    /// How often it is looked at.
    private static let period: Duration = .milliseconds(1)

    func run(into report: BenchReport) async throws {
        var latencies = Latencies()
        try await Rounds.run(BenchScale.coordinatorDeaths) { _ in
            latencies.record(try await OtherProcess.with("part", "coordinate") { try await kill($0) })
        }
        report.add(times: "coordinator killed to no process left", latencies, key: "coordinator_death")
    }

    private func kill(_ coordinator: OtherProcess) async throws -> Duration {
        let started = coordinator.greeting.split { !$0.isNumber }.compactMap { Int32($0) }
        let processes = ([coordinator.processID] + started).map(ProcessFigures.init)
        guard processes.count == 4, processes.allSatisfy({ $0.state != nil }) else {
            throw BenchError("a coordinator, a worker and two programs should run, not \(processes)")
        }
        // Also if they outlive the limit.
        defer { for process in processes where process.state != nil { Glibc.kill(process.processID, SIGKILL) } }
        let start = SuspendingClock.now
        Glibc.kill(coordinator.processID, SIGKILL)
        try await Deadline.run(within: Self.limit, waitingFor: "the end of all that a coordinator has started") {
            while processes.contains(where: { $0.state != nil }) { try await Task.sleep(for: Self.period) }
        }
        return start.duration(to: .now)
    }
}
