import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures the change of one of many keyed elements, or of a number only. The time lasts from the send until a view
/// model in the coordinator shows the change.
@MainActor struct KeyedBench {
    let options: StateBenchOptions

    func run(into report: BenchReport) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: KeyedFeature.self,
                listeningAt: path,
                configuration: .keyed
            ) { coordinator in
                let large = try await KeyedDriver(.hundredThousand, in: coordinator)
                var sizes: [(name: String, key: String, driver: KeyedDriver)] = []
                if options.measures(.empty) {
                    sizes.append(("an empty state", "empty", try await KeyedDriver(.empty, in: coordinator)))
                }
                if options.measures(.keyed) {
                    let small = try await KeyedDriver(.thousand, in: coordinator)
                    sizes.append(("1 of 1000 elements", "keyed_1000", small))
                    sizes.append(("1 of 100000 elements", "keyed_100000", large))
                }
                for (size, latencies) in zip(sizes, try await Self.measureByTurns(sizes.map(\.driver))) {
                    report.add(times: size.name, latencies, key: size.key)
                }
                if options.measures(.keyed) { try await measure(large, path, into: report) }
            }
        }
    }

    /// Measures parts of each driver in turn, so that other load on the machine affects all of them.
    private static func measureByTurns(_ drivers: [KeyedDriver]) async throws -> [Latencies] {
        var all = drivers.map { _ in Latencies() }
        for driver in drivers { _ = try await driver.measure(BenchScale.warmUp) }
        for _ in 0..<BenchScale.turns {
            for (index, driver) in drivers.enumerated() {
                all[index].add(try await driver.measure(BenchScale.keyedChanges / BenchScale.turns).latencies)
            }
        }
        return all
    }

    private func measure(_ driver: KeyedDriver, _ path: String, into report: BenchReport) async throws {
        let worker = try driver.worker
        let (workerBefore, ownBefore) = (try worker.processorTime(), try ProcessFigures.own.processorTime())
        let bytesBefore = ProcessFigures.bytesReceived
        let count = try await driver.measure(BenchScale.changes).count
        let time = try worker.processorTime() - workerBefore + ProcessFigures.own.processorTime() - ownBefore
        report.add(
            figure: "µs of processor time in both processes",
            Double(time) / Double(count) / 1000,
            decimals: 1,
            key: "keyed_cpu_us"
        )
        guard let bytesBefore, let bytes = ProcessFigures.bytesReceived else { return }
        let fromWorker = Double(bytes - bytesBefore) / Double(count)
        let toClient = try await bytesToClient(driver, path)
        report.add(figure: "bytes from worker to coordinator", fromWorker, decimals: 0, key: "keyed_bytes_from_worker")
        report.add(figure: "bytes from coordinator to client", toClient, decimals: 0, key: "keyed_bytes_to_client")
        report.add(figure: "bytes per hop, maximum", max(fromWorker, toClient), decimals: 0, key: "keyed_bytes")
    }

    /// Returns the average number of bytes that a client receives for a change.
    private func bytesToClient(_ driver: KeyedDriver, _ path: String) async throws -> Double {
        try await ObserverProcesses.with(1) { observers in
            _ = try await observers[0].answer(.showKeyed(path: path, .hundredThousand))
            let before = try await observers[0].answer(.countBytes)
            let count = try await driver.measure(BenchScale.changes).count
            let after = try await observers[0].answer(.countBytes)
            return Double(after[0] - before[0]) / Double(count)
        }
    }
}

/// Changes one element after the other, and checks that each change is shown.
@MainActor struct KeyedDriver {
    let viewModel: ViewModel<KeyedFeature>

    init(_ size: KeyedSize, in coordinator: Coordinator) async throws {
        viewModel = try await coordinator.viewModel(KeyedFeature.self, instance: size.rawValue)
    }

    var worker: ProcessFigures {
        get throws {
            try viewModel.workerProcess
        }
    }

    func measure(_ count: Int) async throws -> (latencies: Latencies, count: Int) {
        try await Rounds.run(count) { _ in try await change() }
    }

    func change() async throws {
        let number = viewModel.viewState.newest + 1
        try BenchError.check(await viewModel.sendViewEvent(number).finish(), of: "change \(number)")
        try BenchError.check(viewModel.viewState.number(shownFor: number), is: number)
    }
}

extension CoordinatorConfiguration {
    /// A configuration with states of the size that is named by the instance.
    static var keyed: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.bench
        configuration.configure(KeyedFeature.self) { KeyedSize(rawValue: $0) ?? .empty }
        return configuration
    }
}
