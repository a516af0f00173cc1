import Foundation
import LatticeCoordinator
import LatticeCore
import LatticeMetrics
import LatticeTestSupport
import Testing

/// Tests the metrics of a coordinator whose worker dies.
@MainActor @Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    /// Returns the sum of the values of the lines that begin with a text, or nil if there is none.
    private func value(_ series: String, in text: String) -> Double? {
        let lines = text.split(separator: "\n").filter { $0.hasPrefix(series) }
        let values = lines.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    @Test("Prometheus reads events, durations, a restart, and what the processes use")
    func scrape() async throws {
        let registry = PrometheusRegistry()
        let metrics = RuntimeMetrics(factory: registry)
        let workers = EventList()
        var configuration = configuration(workers: Programs.path("unruly"))
        configuration.observers = [metrics.observer, workers.observer(of: .workers)]
        // On a busy machine as well.
        configuration.heartbeatTimeout = .seconds(60)
        configuration.heartbeatInterval = .seconds(60)
        try await withCoordinator(hosting: UnrulyFeature.self, configuration: configuration) { coordinator in
            try await withMetricsEndpoint(registry, at: .loopback(port: 0)) {
                metrics.record(await coordinator.figures())
            } _: { endpoint in
                let viewModel = try await coordinator.viewModel(UnrulyFeature.self)
                let waiting = viewModel.sendViewEvent(.wait)
                #expect(await viewModel.sendViewEvent(.add(1)).finish() == .finished)
                kill(try servingProcess(viewModel), SIGKILL)
                #expect(await waiting.finish() == .interrupted(Interruption(cause: .signal(SIGKILL), incarnation: 1)))
                try await workers.until(.workerServing, count: 2)
                let digits = endpoint.address.description.firstMatch(of: /:(\d+)\//)
                let port = try #require(digits.flatMap { UInt16($0.1) })
                let socket = try BlockingSocket(port: port)
                socket.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
                let text = await socket.answer()
                #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
                let ended = "lattice_event_duration_seconds_count{lattice_feature=\"\(UnrulyFeature.identifier)\""
                #expect(value(ended + ",lattice_outcome=\"finished\"", in: text) == 1)
                #expect(value(ended + ",lattice_outcome=\"interrupted\",error_type=\"signal 9\"", in: text) == 1)
                #expect(value("lattice_event_duration_seconds_sum", in: text) ?? 0 > 0)
                let restarts = "lattice_worker_terminations_total{lattice_group=\"\",lattice_cause=\"signal 9\""
                #expect(value(restarts + ",lattice_verdict=\"restart\"", in: text) == 1)
                #expect(value("lattice_worker_starts_total", in: text) == 2)
                #expect(value("lattice_workers{lattice_group=\"\",lattice_state=\"serving\"}", in: text) == 1)
                #expect(value("lattice_instances", in: text) == 1)
                for role in ["coordinator", "worker"] {
                    #expect(value("process_memory_usage_bytes{lattice_role=\"\(role)\"", in: text) ?? 0 > 1_000_000)
                    #expect(value("process_open_file_descriptor_count{lattice_role=\"\(role)\"", in: text) ?? 0 > 3)
                }
                #expect(value("lattice_event_loop_lag_seconds", in: text) ?? 0 > 0)
                #expect(value("lattice_metrics_refused_total", in: text) == 0)
            }
        }
    }
}
