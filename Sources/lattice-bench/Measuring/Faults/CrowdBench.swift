import Glibc
import LatticeCoordinator
import LatticeCore
import LatticeToolSupport
import Logging

/// Connects many clients, kills half of them at once, and measures how long it takes until all others show exactly who
/// is left. Also measures what a client costs.
@MainActor struct CrowdBench {
    private typealias Members = ViewModel<CrowdMembersFeature>

    /// The processes of the clients, each of which has as many of them.
    private static let processes = 10

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: CrowdFeature.self,
                listeningAt: path,
                configuration: .bench
            ) { coordinator in
                let crowd = try await coordinator.viewModel(CrowdFeature.self)
                try await withMembers { members in
                    try await measure(members, of: crowd, at: path, into: report)
                }
            }
        }
    }

    /// Starts the processes of the clients, each of which is a worker with an instance.
    private func withMembers(_ body: @MainActor ([Members]) async throws -> Void) async throws {
        var configuration = CoordinatorConfiguration.bench
        // Some of them are killed.
        configuration.logger.logLevel = .critical
        var group = WorkerGroup("members", of: CrowdMembersFeature.self)
        group.workers = .onePerInstance(atMost: Self.processes)
        configuration.groups = [group]
        try await withCoordinator(hosting: CrowdMembersFeature.self, configuration: configuration) { coordinator in
            var members: [Members] = []
            for number in 0..<Self.processes {
                members.append(try await coordinator.viewModel(CrowdMembersFeature.self, instance: "\(number)"))
            }
            try await body(members)
        }
    }

    private func measure(
        _ members: [Members],
        of crowd: ViewModel<CrowdFeature>,
        at path: String,
        into report: BenchReport
    ) async throws {
        let each = max(1, BenchScale.crowd / Self.processes)
        let count = each * members.count
        let processes = try members.map { try $0.workerProcess }
        let numbers = processes.map(\.processID)
        let memory = try (own: ProcessFigures.own.ownBytes(), members: processes.map { try $0.ownBytes() })
        let descriptors = ProcessFigures.own.descriptors

        var start = ProcessFigures.sharedTime
        try await ask(members, .connect(path: path, count: each))
        let joined = try await ask(members, .see(processes: numbers, each: each))
        report.add(
            figure: "ms until \(count) clients are connected, and all show all of them",
            milliseconds(from: start, to: joined),
            key: "crowd_joined_ms"
        )
        let inCoordinator = Double(try ProcessFigures.own.ownBytes() - memory.own) / Double(count)
        let inClients = zip(joined, memory.members).reduce(0) { $0 + $1.0.ownBytes - $1.1 }
        report.add(figure: "bytes of memory for a client, in the coordinator", inCoordinator, key: "crowd_client_bytes")
        report.add(
            figure: "bytes of memory for a client, in its own process",
            Double(inClients) / Double(count),
            key: "crowd_own_bytes"
        )
        report.add(
            figure: "descriptors for a client, in the coordinator",
            Double(ProcessFigures.own.descriptors - descriptors) / Double(count),
            decimals: 2,
            key: "crowd_descriptors"
        )

        let left = members.count / 2
        start = ProcessFigures.sharedTime
        for process in numbers[left...] { kill(process, SIGKILL) }
        let seen = try await ask(Array(members[..<left]), .see(processes: Array(numbers[..<left]), each: each))
        report.add(
            figure: "ms from the deaths of \(count - left * each) clients until all others show who is left",
            milliseconds(from: start, to: seen),
            key: "crowd_lost_ms"
        )
        try BenchError.check(crowd.viewState.clients.count, is: left * each)
    }

    /// Asks all processes at once.
    @discardableResult
    private func ask(
        _ members: [Members],
        _ action: CrowdMembersFeature.Action
    ) async throws -> [CrowdMembersFeature.Answer] {
        let events = members.map { $0.sendViewEvent(action) }
        for event in events { try BenchError.check(await event.finish(), of: "the clients") }
        return members.map(\.viewState)
    }

    private func milliseconds(from start: UInt64, to answers: [CrowdMembersFeature.Answer]) -> Double {
        Double((answers.map(\.time).max() ?? start) - start) / 1_000_000
    }
}
