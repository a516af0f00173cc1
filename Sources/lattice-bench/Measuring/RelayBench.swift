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

    /// What the processes have used at some time.
    private struct Usage {
        let time = ProcessorTime.now
        let switches = ContextSwitches.now
        let allocations = Allocations.ofAllThreads
    }

    private typealias Sender = ViewModel<RelayFeature>

    let options: ProcessBenchOptions

    func run(into report: BenchReport) async throws {
        let steps = [Step.idle, Step.busy].map { $0.filter { options.measures($0.figure) } }
        guard !steps[0].isEmpty else { return }
        try EchoFeature.checkSizes(upTo: BenchScale.roundTrips + BenchScale.events + 2 * BenchScale.warmUp)
        try await measureIdle(steps[0], into: report)
        try await withSender { sender in
            for step in steps[1] {
                _ = try await sender.answer(.send(count: BenchScale.warmUp, window: step.window))
                try await BusyMainActor.with {
                    let start = ProcessorTime.now
                    try await measure(step, sender, into: report)
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
        try await withSender { sender in
            for step in steps {
                reportTime()
                _ = try await sender.answer(.send(count: BenchScale.warmUp, window: step.window))
                try await measure(step, sender, into: report)
                unreported = step
            }
        }
        reportTime()
    }

    /// Starts a coordinator, its worker and both clients. At the end, the second client must have seen the last state.
    private func withSender(_ body: @MainActor (Sender) async throws -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: EchoFeature.self,
                listeningAt: path,
                configuration: .bench
            ) { coordinator in
                try await ClientProcesses<RelayFeature>.with(2) { clients in
                    for client in clients { try await client.answer(.connect(path: path)) }
                    try await clients[1].answer(.reach(EchoState().number))
                    try await body(clients[0])
                    let last = try await coordinator.viewModel(EchoFeature.self).viewState.number
                    try await clients[1].answer(.reach(last))
                }
            }
        }
    }

    private func addTime(_ step: Step, _ time: ProcessorTime, count: Int, to report: BenchReport) {
        report.add(time: step.name, time, count: count, key: "\(step.key)_cpu_us", isOfRow: step.isOfRow)
    }

    private func measure(_ step: Step, _ sender: Sender, into report: BenchReport) async throws {
        let before = Usage()
        let answer = try await sender.answer(.send(count: step.count, window: step.window))
        let after = Usage()
        if step.figure == .roundTrips {
            report.add(times: step.name, answer.figures.latencies, key: step.key, isOfRow: step.isOfRow)
        } else {
            report.add(
                rate: step.name,
                count: step.count,
                in: answer.figures.duration,
                key: "\(step.key)_per_s",
                isOfRow: step.isOfRow
            )
        }
        func add(_ name: String, _ count: Int, _ key: String) {
            let each = Double(count) / Double(step.count)
            report.add(figure: "\(name) for each \(step.name)", each, key: "\(step.key)_\(key)", isOfRow: false)
        }
        add("context switches of all processes", after.switches - before.switches, "switches")
        if let before = before.allocations, let after = after.allocations {
            add("allocations of the coordinator", after - before, "coordinator_allocations")
        }
        if let allocations = answer.allocations {
            add("allocations of the client", allocations, "client_allocations")
        }
    }
}
