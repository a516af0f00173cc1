import Glibc
import LatticeActors
import LatticeControl
import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures what looking into a busy coordinator costs, and how long it takes. A client in its own process sends events
/// to 1,000 instances, which one worker serves.
@MainActor struct OperatingBench {
    private static let instances = 1_000
    /// The events a second of the paced measurement.
    private static let rate = 10_000
    /// The events that wait while sections are described, and the instances to which they were sent.
    private static let queued = 100_000
    private static let queuedInstances = 10
    private static let actors = 200_000
    /// About as many as a process can publish.
    private static let namedActors = 1_000
    /// The descriptions of each section.
    private static let descriptions = 20

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            var configuration = CoordinatorConfiguration.bench
            // The worker is stopped for a while.
            configuration.heartbeatTimeout = .seconds(600)
            try await withCoordinator(
                hosting: EchoFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                try await ClientProcesses<SpreadFeature>.with(1) { clients in
                    let client = clients[0]
                    try await client.answer(.connect(path: path, instances: Self.instances))
                    try await send(client, rate: .max)
                    try await compare(client, path, rate: .max, "most", into: report)
                    try await compare(client, path, rate: Self.rate, "paced", into: report)
                    try await describe(client, path, coordinator, into: report)
                }
                try await describeActors(path, coordinator, into: report)
            }
        }
    }

    @discardableResult
    private func send(_ client: ViewModel<SpreadFeature>, rate: Int) async throws -> SpreadFeature.Answer {
        try await client.answer(
            .send(
                milliseconds: Int(BenchScale.comparisonTime / .milliseconds(1)),
                window: BenchScale.window,
                rate: rate == .max ? 10_000_000 : rate
            )
        )
    }

    // MARK: Beside tools

    /// What a tool has used in the rounds of a comparison.
    private struct Use {
        /// The events a second beside it, divided by those without it, in each round.
        var ratios: [Double] = []
        var alone: [Double] = []
        var beside: [Double] = []
        /// The processor time in percent of one core.
        var load: [Double] = []
        var bytes = 0
    }

    /// Compares the events a second beside each tool with those without it. Both alternate.
    private func compare(
        _ client: ViewModel<SpreadFeature>,
        _ path: String,
        rate: Int,
        _ key: String,
        into report: BenchReport
    ) async throws {
        for tool in OperatingTool.allCases {
            var use = Use()
            for round in 0..<BenchScale.comparisons {
                let isFirst = round.isMultiple(of: 2)
                if isFirst { use.alone.append(try await send(client, rate: rate).perSecond) }
                try await OtherProcess.with("part", "look", tool.rawValue, path) { process in
                    let figures = ProcessFigures(processID: process.processID)
                    let (before, start) = (try figures.processorTime(), SuspendingClock.now)
                    use.beside.append(try await send(client, rate: rate).perSecond)
                    let time = Double(try figures.processorTime() - before)
                    use.load.append(100 * time / (start.duration(to: .now) / .nanoseconds(1)))
                    use.bytes = max(use.bytes, try figures.ownBytes())
                }
                if !isFirst { use.alone.append(try await send(client, rate: rate).perSecond) }
                use.ratios.append(use.beside[round] / use.alone[round])
            }
            add(use, tool, key, rate: rate, to: report)
        }
    }

    private func add(_ use: Use, _ tool: OperatingTool, _ key: String, rate: Int, to report: BenchReport) {
        let load = rate == .max ? "as many events as possible" : "\(rate) events a second"
        let (name, key) = (tool.rawValue, "\(tool.rawValue)_\(key)")
        report.add(
            figure: "events a second of 1,000 instances, \(load)",
            use.alone.median,
            decimals: 0,
            key: "\(key)_alone"
        )
        report.add(figure: "the same beside \(name)", use.beside.median, decimals: 0, key: "\(key)_beside")
        report.add(figure: "ratio, median of the rounds", use.ratios.median, decimals: 3, key: "\(key)_ratio")
        report.add(figure: "% of a core that \(name) takes", use.load.median, decimals: 1, key: "\(key)_load")
        report.add(
            figure: "MiB that \(name) takes, not shared, at most",
            Double(use.bytes) / 1_048_576,
            decimals: 1,
            key: "\(key)_mib"
        )
    }

    // MARK: Descriptions

    /// Measures descriptions beside many events that wait for a worker.
    private func describe(
        _ client: ViewModel<SpreadFeature>,
        _ path: String,
        _ coordinator: Coordinator,
        into report: BenchReport
    ) async throws {
        let viewModel = try await coordinator.viewModel(EchoFeature.self, instance: "0")
        let worker = try viewModel.workerProcess.processID
        kill(worker, SIGSTOP)
        defer { kill(worker, SIGCONT) }
        let each = Self.queued / Self.queuedInstances
        try await client.answer(.queue(events: each, instances: Self.queuedInstances))
        try await Deadline.run(within: .seconds(60), waitingFor: "the events") {
            while await coordinator.figures().features.reduce(0, { $0 + $1.waitingEvents + $1.runningEvents })
                < Self.queued
            {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        try await measure(
            ["", "coordinator", "workers", "instances", "clients", "events"],
            beside: "100,000 events",
            key: "",
            path,
            into: report
        )
    }

    /// Measures descriptions beside many actors of the coordinator, of which some have names.
    private func describeActors(
        _ path: String,
        _ coordinator: Coordinator,
        into report: BenchReport
    ) async throws {
        let system = LatticeActorSystem(coordinator)
        let actors = (0..<Self.actors).map { _ in EchoActor(actorSystem: system) }
        for name in 0..<Self.namedActors { try system.host("\(name)") { EchoActor(actorSystem: $0) } }
        try await measure(
            ["coordinator", "actors", "calls"],
            beside: "200,000 actors",
            key: "_actors",
            path,
            into: report
        )
        withExtendedLifetime(actors) {}
    }

    /// - Parameter suffix: The end of the keys, so that those of two loads differ.
    private func measure(
        _ sections: [String],
        beside load: String,
        key suffix: String,
        _ path: String,
        into report: BenchReport
    ) async throws {
        try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
            for section in sections {
                var latencies = Latencies()
                for _ in 0..<Self.descriptions {
                    let start = SuspendingClock.now
                    _ = try await control.describe(section, limit: 500)
                    latencies.record(start.duration(to: .now))
                }
                let name = section.isEmpty ? "all sections" : section
                report.add(
                    times: "describe \(name) beside \(load)",
                    latencies,
                    key: "describe_\(section.isEmpty ? "all" : section)\(suffix)"
                )
            }
        }
    }
}

/// A tool that looks into a coordinator again and again.
enum OperatingTool: String, CaseIterable {
    case top
    case watch

    /// Looks into the coordinator until the process is killed.
    ///
    /// - Parameter whenReady: Called when the tool has shown something.
    func run(at path: String, whenReady: @escaping @Sendable () throws -> Void) async throws {
        switch self {
        case .top: try await Self.top(path, whenReady)
        case .watch: try await Self.watch(path, whenReady)
        }
    }

    /// Does what `latticectl top` does, without a terminal.
    private static func top(_ path: String, _ whenReady: @Sendable () throws -> Void) async throws {
        try await withControlClient(connectingTo: path) { control in
            var state = TopState()
            state.choose(.instances)
            let (pages, continuation) = AsyncThrowingStream.makeStream(of: (TopQuery, SectionDescription).self)
            let tasks = TopPart.allCases.map { part in
                let query = state.query(of: part)
                let limit = part == .coordinator ? nil : 500
                let section = control.descriptions(of: part.section, sortedBy: query.rank, limit: limit)
                return Task {
                    do {
                        for try await page in section { continuation.yield((query, page)) }
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
            }
            defer { for task in tasks { task.cancel() } }
            var isReady = false
            for try await (query, page) in pages {
                guard state.receive(page, for: query, at: .now) != nil, state.isComplete else { continue }
                guard TopScreen(state, width: 160).lines(height: 50).count == 50 else {
                    throw BenchError("the screen of top should have 50 lines")
                }
                if !isReady { try whenReady() }
                isReady = true
            }
        }
    }

    /// Does what `latticectl watch` does, without a terminal.
    private static func watch(_ path: String, _ whenReady: @Sendable () throws -> Void) async throws {
        try await withUntypedFeature(EchoFeature.identifier, instance: "0", connectingTo: path) { feature in
            var seen = try feature.state
            try whenReady()
            while let state = try await feature.state(after: seen.revision) {
                _ = state.changes(since: seen, at: ValuePath(), maximumLines: 20)
                seen = state
            }
        }
    }
}
