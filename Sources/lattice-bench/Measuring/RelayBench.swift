import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures events that a client in another process sends to a coordinator, which passes them on to a worker. A second
/// client in its own process watches the states.
@MainActor struct RelayBench {
    /// A number of events that are measured together.
    private struct Step {
        let figure: BenchFigure
        let name: String
        let key: String
        let count: Int
        let window: Int
        /// Whether the programs to which the bench is compared have this step too.
        let isOfRow: Bool

        static let idle = [
            Step(
                figure: .roundTrips,
                name: "round trip",
                key: "rtt",
                count: BenchScale.roundTrips,
                window: 1,
                isOfRow: true
            ),
            Step(
                figure: .events,
                name: "event",
                key: "throughput",
                count: BenchScale.events,
                window: BenchScale.window,
                isOfRow: true
            ),
        ]
        static let busy = [
            Step(
                figure: .roundTrips,
                name: "round trip, main actor busy",
                key: "busy_rtt",
                count: BenchScale.roundTripsWhileBusy,
                window: 1,
                isOfRow: false
            ),
            Step(
                figure: .events,
                name: "event, main actor busy",
                key: "busy_throughput",
                count: BenchScale.eventsWhileBusy,
                window: BenchScale.window,
                isOfRow: false
            ),
        ]
    }

    /// What the processes have counted at some time.
    private struct Usage {
        let switches: Int
        let coordinator: ProcessCounts
        /// The sum of the coordinator, the worker and both clients.
        let all: ProcessCounts
    }

    /// The processes of the measurement, as this one, the coordinator, reaches them.
    private struct Processes {
        let sender: ViewModel<RelayFeature>
        let watcher: ViewModel<RelayFeature>

        @MainActor func send(_ count: Int, window: Int) async throws -> EchoBench.Figures {
            try await sender.answer(.send(count: count, window: window)).figures
        }

        @MainActor func usage() async throws -> Usage {
            let coordinator = ProcessCounts()
            var all = coordinator
            for client in [sender, watcher] {
                guard let counts = try await client.answer(.count).counts else {
                    throw BenchError("a client should answer with its counts")
                }
                all = all + counts
            }
            return Usage(switches: ContextSwitches.now, coordinator: coordinator, all: all)
        }
    }

    let options: ProcessBenchOptions

    func run(into report: BenchReport) async throws {
        let steps = [Step.idle, Step.busy].map { $0.filter { options.measures($0.figure) } }
        guard !steps[0].isEmpty else { return }
        try EchoFeature.checkSizes(upTo: BenchScale.roundTrips + BenchScale.events + 2 * BenchScale.warmUp)
        try await measureIdle(steps[0], into: report)
        try await withProcesses { processes in
            for step in steps[1] {
                _ = try await processes.send(BenchScale.warmUp, window: step.window)
                try await BusyMainActor.with {
                    let start = ProcessorTime.now
                    try await measure(step, processes, into: report)
                    addTime(step, .now - start, count: step.count, to: report)
                }
            }
        }
    }

    /// Measures steps with all their processor time: the start of the processes counts towards the first step, and
    /// their end towards the last.
    private func measureIdle(_ steps: [Step], into report: BenchReport) async throws {
        var start = ProcessorTime.now
        var unreported: Step?
        func reportTime() {
            guard let step = unreported else { return }
            let end = ProcessorTime.now
            addTime(step, end - start, count: step.count + BenchScale.warmUp, to: report)
            start = end
        }
        try await withProcesses { processes in
            for step in steps {
                reportTime()
                _ = try await processes.send(BenchScale.warmUp, window: step.window)
                try await measure(step, processes, into: report)
                unreported = step
            }
        }
        reportTime()
    }

    /// Starts a coordinator, its worker and both clients. At the end, the second client must have seen the last state.
    private func withProcesses(_ body: @MainActor (Processes) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: EchoFeature.self,
                listeningAt: path,
                configuration: .bench
            ) { _ in
                try await ClientProcesses<RelayFeature>.with(2) { clients in
                    for client in clients { try await client.answer(.connect(path: path)) }
                    try await clients[1].answer(.reach(EchoState().number))
                    try await body(Processes(sender: clients[0], watcher: clients[1]))
                    let last = try await clients[0].answer(.count).number
                    try await clients[1].answer(.reach(last))
                }
            }
        }
    }

    private func addTime(_ step: Step, _ time: ProcessorTime, count: Int, to report: BenchReport) {
        report.add(time: step.name, time, count: count, key: "\(step.key)_cpu_us", isOfRow: step.isOfRow)
    }

    private func measure(_ step: Step, _ processes: Processes, into report: BenchReport) async throws {
        let before = try await processes.usage()
        let figures = try await processes.send(step.count, window: step.window)
        let after = try await processes.usage()
        if step.figure == .roundTrips {
            report.add(times: step.name, figures.latencies, key: step.key, isOfRow: step.isOfRow)
        } else {
            report.add(
                rate: step.name,
                count: step.count,
                in: figures.duration,
                key: "\(step.key)_per_s",
                isOfRow: step.isOfRow
            )
        }
        func add(_ name: String, _ key: String, _ count: Int?) {
            guard let count else { return }
            let each = Double(count) / Double(step.count)
            report.add(figure: "\(name) for each \(step.name)", each, key: "\(step.key)_\(key)", isOfRow: false)
        }
        let (all, coordinator) = (after.all - before.all, after.coordinator - before.coordinator)
        add("context switches of all processes", "switches", after.switches - before.switches)
        add("system calls of all processes", "system_calls", all.systemCalls)
        add("system calls of the coordinator", "coordinator_system_calls", coordinator.systemCalls)
        add("allocations of all processes", "allocations", all.allocations)
        add("allocations of the coordinator", "coordinator_allocations", coordinator.allocations)
        add("locks of all processes", "locks", all.locks)
        add("locks of the coordinator", "coordinator_locks", coordinator.locks)
    }
}
