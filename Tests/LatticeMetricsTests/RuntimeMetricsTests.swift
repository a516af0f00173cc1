import CoreMetrics
import LatticeConcurrency
import Testing

@testable import LatticeCore
@testable import LatticeMetrics

/// Tests what the metrics count and record.
@Suite struct RuntimeMetricsTests {
    private static let member = RuntimeEvent.Member(group: "media", instance: "42")
    private static let worker = RuntimeEvent.Worker(member: member, incarnation: 3, processID: 77)
    private static let instance = RuntimeEvent.Instance(feature: "notes", key: "work", member: member)
    private static let client = RuntimeEvent.Client(sender: "a0", processID: 7, userID: 1000)
    private static let call = RuntimeEvent.Call(actor: 5, method: "add", caller: "client", isResolved: true)
    private static let unknownCall = RuntimeEvent.Call(actor: 5, method: "work", caller: "client")
    private static let event = EventID(
        origin: EventOrigin(sender: EventSender(1), channel: 2, feature: "notes", instance: "work"),
        number: 3
    )

    private static func end(_ cause: Interruption.Cause, _ verdict: RuntimeEvent.Termination.Verdict) -> RuntimeEvent {
        .workerTerminated(RuntimeEvent.Termination(worker: worker, cause: cause, verdict: verdict))
    }

    private static func restart(after cause: Interruption.Cause) -> RuntimeEvent {
        end(cause, .restart(HostStatus.Restart(attempt: 1, delay: .zero, cause: cause)))
    }

    /// An event, and the series that grows with it by an amount.
    struct Sample: Sendable, CustomTestStringConvertible {
        let event: RuntimeEvent
        let series: String
        let amount: Double

        init(_ event: RuntimeEvent, _ series: String, _ amount: Double = 1) {
            (self.event, self.series, self.amount) = (event, series, amount)
        }

        var testDescription: String { series }
    }

    private static func ended(_ outcome: EventOutcome, _ word: String, _ errorType: String = "") -> Sample {
        Sample(
            .eventEnded(event, outcome, after: .microseconds(30)),
            "lattice_event_duration_seconds_count{lattice_feature=\"notes\",lattice_outcome=\"\(word)\""
                + ",error_type=\"\(errorType)\"}"
        )
    }

    private static func terminated(_ event: RuntimeEvent, _ cause: String, _ verdict: String) -> Sample {
        Sample(
            event,
            "lattice_worker_terminations_total{lattice_group=\"media\",lattice_cause=\"\(cause)\""
                + ",lattice_verdict=\"\(verdict)\"}"
        )
    }

    static let samples: [Sample] = [
        ended(.finished, "finished"), ended(.cancelled, "cancelled"),
        ended(.rejected(.overloaded), "rejected", "overloaded"),
        ended(.interrupted(Interruption(cause: .signal(9), incarnation: 1)), "interrupted", "signal 9"),
        Sample(
            .callEnded(call, outcome: "returned", after: .microseconds(5)),
            "rpc_server_call_duration_seconds_count{rpc_system_name=\"lattice\",rpc_method=\"add\",error_type=\"\"}"
        ),
        Sample(
            .callEnded(call, outcome: "threw", after: .microseconds(5)),
            "rpc_server_call_duration_seconds_count{rpc_system_name=\"lattice\",rpc_method=\"add\",error_type=\"threw\"}"
        ),
        // The caller has chosen the name.
        Sample(
            .callEnded(unknownCall, outcome: "no such method", after: .microseconds(5)),
            "rpc_server_call_duration_seconds_count{rpc_system_name=\"lattice\",rpc_method=\"_OTHER\""
                + ",error_type=\"no such method\"}"
        ),
        Sample(
            .stateAccepted(instance, RuntimeEvent.StateUpdate(revision: 9, bytes: 100, isPatch: true)),
            "lattice_state_io_bytes_total{lattice_feature=\"notes\",network_io_direction=\"receive\"}",
            100
        ),
        Sample(
            .statePublished(instance, RuntimeEvent.StateUpdate(revision: 9, bytes: nil, isPatch: true)),
            "lattice_states_total{lattice_feature=\"notes\",network_io_direction=\"transmit\"}"
        ),
        Sample(.workerStarted(worker), "lattice_worker_starts_total{lattice_group=\"media\"}"),
        terminated(restart(after: .hang), "hang", "restart"),
        terminated(restart(after: .limit("memory")), "limit memory", "restart"),
        terminated(restart(after: .exit(code: 3)), "exit", "restart"),
        terminated(restart(after: .statusLost("SIGCHLD")), "status lost", "restart"),
        terminated(restart(after: .lackOfResources("none")), "lack of resources", "restart"),
        terminated(end(.signal(11), .giveUp(HostFailure(reason: "too often"))), "signal 11", "give up"),
        terminated(end(.exit(code: 0), .stop), "exit", "stop"),
        Sample(
            .workerOutputDropped(worker, lines: 12, linesPerSecond: 4096),
            "lattice_worker_output_dropped_total{lattice_group=\"media\"}",
            12
        ),
        Sample(
            .eventQuarantined(event, of: member, incarnations: [1, 2], cause: .hang),
            "lattice_events_quarantined_total{lattice_feature=\"notes\"}"
        ),
        Sample(
            .viewStateWithheld(instance, reason: "It is too large."),
            "lattice_view_states_withheld_total{lattice_feature=\"notes\"}"
        ),
        Sample(.clientJoined(client), "lattice_clients_joined_total"),
        Sample(.clientLeft(client), "lattice_clients_left_total"),
        Sample(
            .connectionsRejected(.tooManyClients, count: 3, isFirst: false),
            "lattice_connections_rejected_total{lattice_reason=\"too many clients\"}",
            3
        ),
        Sample(
            .sessionEnded(.client(client), problem: .init(code: "timeout", message: "It was silent.")),
            "lattice_sessions_ended_total{lattice_peer=\"client\",error_type=\"timeout\"}"
        ),
        Sample(
            .sessionEnded(.worker(worker), problem: nil),
            "lattice_sessions_ended_total{lattice_peer=\"worker\",error_type=\"\"}"
        ),
    ]

    @Test("An event is counted in its series, once", arguments: samples)
    func counted(_ sample: Sample) {
        let factory = StrictMetricsFactory()
        let observer = RuntimeMetrics(factory: factory).observer
        #expect(observer.interest.contains(sample.event.kind))
        observer.receive(sample.event)
        observer.receive(sample.event)
        let text = ScrapedText(factory.registry.text())
        #expect(text.problems == [])
        #expect(text[sample.series] == 2 * sample.amount)
    }

    @Test("All events together use each name with the same labels, and no label holds an ID")
    func labels() {
        let factory = StrictMetricsFactory()
        let metrics = RuntimeMetrics(factory: factory)
        for sample in Self.samples { metrics.observer.receive(sample.event) }
        metrics.record(Self.figures())
        #expect(factory.names == Set(RuntimeMetrics.definitions.map(\.name)))
        let text = factory.registry.text()
        #expect(ScrapedText(text).problems == [])
        for id in ["work", "42", "77", "a0", "00000001"] { #expect(!text.contains("\"\(id)\""), "\(id)") }
        #expect(factory.registry.refusedMetrics == 0)
    }

    @Test("The strict factory finds a name with other labels and with another type")
    func strict() {
        let factory = StrictMetricsFactory()
        #expect(factory.problem("a", "counter", [("x", "1")]) == nil)
        #expect(factory.problem("a", "counter", [("x", "2")]) == nil)
        #expect(factory.problem("a", "counter", [("y", "1")]) != nil)
        #expect(factory.problem("a", "gauge", [("x", "1")]) != nil)
    }

    @Test("Each definition has a name of its own, a description and a bound")
    func definitions() {
        let definitions = RuntimeMetrics.definitions
        #expect(Set(definitions.map(\.name)).count == definitions.count)
        for definition in definitions {
            #expect(definition.name.wholeMatch(of: /[a-z][a-z_]*(\.[a-z][a-z_]*)+/) != nil)
            #expect(definition.about.hasSuffix(".") && (1...1_000).contains(definition.maximumSeries))
        }
    }

    @Test("Series beyond the bound are counted in one whose labels say so")
    func bound() {
        let registry = PrometheusRegistry()
        let definition = MetricDefinition("a.b", .counter, unit: "{x}", labels: ["c", "d"], maximumSeries: 2, "It.")
        let table = SeriesTable(definition) { registry.makeCounter(label: $0.name, dimensions: $1) }
        for value in ["1", "2", "3", "4", "1"] { table(value, "x").increment(by: 1) }
        let text = ScrapedText(registry.text())
        #expect(text["a_b_total{c=\"1\",d=\"x\"}"] == 2 && text["a_b_total{c=\"2\",d=\"x\"}"] == 1)
        #expect(text["a_b_total{c=\"_OTHER\",d=\"_OTHER\"}"] == 2)
        #expect(text["a_b_total{c=\"3\",d=\"x\"}"] == nil)
    }

    // MARK: Figures

    private static func process(_ group: String?, _ number: Int32, _ cpu: Double?) -> RuntimeFigures.Process {
        RuntimeFigures.Process(
            group: group,
            processID: number,
            cpuTime: cpu.map { .seconds($0) },
            residentBytes: 1000,
            openFiles: 10
        )
    }

    private static func figures(
        waiting: Int = 4,
        workers: [RuntimeFigures.Worker] = [.init(group: "", state: "serving")],
        processes: [RuntimeFigures.Process] = [process(nil, 1, 2.5), process("", 2, 1)]
    ) -> RuntimeFigures {
        var feature = RuntimeFigures.Feature(identifier: "notes")
        (feature.instances, feature.waitingEvents, feature.runningEvents, feature.subscribers) = (2, waiting, 1, 5)
        return RuntimeFigures(
            clients: 3,
            quarantinedEvents: 0,
            features: [feature],
            workers: workers,
            processes: processes,
            eventLoopLag: .microseconds(20)
        )
    }

    @Test("Figures are shown as they were read last, and a series that has no value any more is zero")
    func gauges() {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        metrics.record(Self.figures())
        var text = ScrapedText(registry.text())
        #expect(text["lattice_events_waiting{lattice_feature=\"notes\"}"] == 4)
        #expect(text["lattice_clients"] == 3 && text["lattice_event_loop_lag_seconds"] == 2e-5)
        #expect(text["lattice_workers{lattice_group=\"\",lattice_state=\"serving\"}"] == 1)
        #expect(text["process_memory_usage_bytes{lattice_role=\"coordinator\",lattice_group=\"\"}"] == 1000)
        metrics.record(Self.figures(waiting: 0, workers: [.init(group: "", state: "restarting")], processes: []))
        text = ScrapedText(registry.text())
        #expect(text["lattice_events_waiting{lattice_feature=\"notes\"}"] == 0)
        #expect(text["lattice_workers{lattice_group=\"\",lattice_state=\"serving\"}"] == 0)
        #expect(text["lattice_workers{lattice_group=\"\",lattice_state=\"restarting\"}"] == 1)
        #expect(text["process_memory_usage_bytes{lattice_role=\"coordinator\",lattice_group=\"\"}"] == 0)
        #expect(text["process_cpu_time_seconds_total{lattice_role=\"coordinator\",lattice_group=\"\"}"] == 2.5)
    }

    /// Readings of processes, and the processor time of their group after the last one.
    static let readings: [([[(Int32, Double?)]], Double)] = [
        ([[(1, 1)], [(1, 3)]], 3),
        ([[(1, 1), (2, 1)], [(2, 4)], [(2, 4), (3, 0.5)]], 5.5),
        // Another process has got the number.
        ([[(1, 5)], [(1, 2)]], 7),
        ([[(1, 5)], [], [(1, 2)]], 7),
        // The system does not tell.
        ([[(1, nil)], [(1, nil)]], 0),
        ([[(1, 5)], [(1, nil)], [(1, 6)]], 6),
        ([[(1, 5)], [(1, nil)], [], [(1, 6)]], 11),
    ]

    @Test("The processor time of a group grows over the ends of its processes", arguments: 0..<readings.count)
    func processorTime(_ row: Int) {
        let (readings, sum) = Self.readings[row]
        var totals = ProcessorTotals()
        var total = Duration.zero
        for reading in readings {
            let grown = totals.add(reading.map { Self.process("g", $0, $1) })
            #expect(grown.values.allSatisfy { $0 >= .zero })
            total += grown["g"] ?? .zero
        }
        #expect(total == .seconds(sum))
    }

    @Test("Figures that were read earlier than the last ones are not recorded")
    func outOfOrder() {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        var early = Self.figures(processes: [Self.process(nil, 1, 3)])
        var late = Self.figures(waiting: 7, processes: [Self.process(nil, 1, 5)])
        early.instant = late.instant - .seconds(1)
        for figures in [late, early, late] { metrics.record(figures) }
        late.processes = [Self.process(nil, 1, 6)]
        metrics.record(late)
        let text = ScrapedText(registry.text())
        #expect(text["process_cpu_time_seconds_total{lattice_role=\"coordinator\",lattice_group=\"\"}"] == 6)
        #expect(text["lattice_events_waiting{lattice_feature=\"notes\"}"] == 7)
    }

    @Test("What the system does not tell is left out, and changes no series")
    func unknown() {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        let memory = "process_memory_usage_bytes{lattice_role=\"worker\",lattice_group=\"g\"}"
        func record(_ bytes: [Int?]) -> ScrapedText {
            let processes = bytes.enumerated().map { number, bytes in
                RuntimeFigures.Process(
                    group: "g",
                    processID: Int32(number),
                    cpuTime: nil,
                    residentBytes: bytes,
                    openFiles: nil
                )
            }
            metrics.record(Self.figures(processes: processes))
            return ScrapedText(registry.text())
        }
        #expect(record([nil])[memory] == nil)
        #expect(record([10, nil, 5])[memory] == 15)
        #expect(record([nil, nil])[memory] == 15)
        let text = record([])
        #expect(text[memory] == 0)
        #expect(!text.values.keys.contains { $0.hasPrefix("process_open_file_descriptor_count") })
    }

    @Test("Groups and states that have gone make room for others, and the series for the rest follows them")
    func room() {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        let maximum = MetricDefinition.workers.maximumSeries
        let other = "lattice_workers{lattice_group=\"_OTHER\",lattice_state=\"_OTHER\"}"
        func record(_ count: Int, _ state: String) -> ScrapedText {
            let workers = (0..<count).map { RuntimeFigures.Worker(group: "\($0)", state: state) }
            metrics.record(Self.figures(workers: workers))
            return ScrapedText(registry.text())
        }
        for state in ["idle", "starting", "serving"] {
            let text = record(maximum, state)
            #expect(text["lattice_workers{lattice_group=\"0\",lattice_state=\"\(state)\"}"] == 1)
            #expect(text[other] == nil)
        }
        #expect(record(maximum + 2, "serving")[other] == 2)
        #expect(record(3, "serving")[other] == 0)
        #expect(registry.refusedMetrics == 0)
    }

    @Test("Figures are read again and again until the task is cancelled")
    func run() async {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        let (readings, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(4))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await metrics.run(every: .milliseconds(1)) {
                    continuation.yield()
                    return Self.figures()
                }
            }
            var count = 0
            for await _ in readings {
                count += 1
                if count == 3 { break }
            }
            group.cancelAll()
        }
        #expect(ScrapedText(registry.text())["lattice_clients"] == 3)
    }
}
