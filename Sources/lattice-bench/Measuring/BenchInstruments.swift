import ArgumentParser
import Glibc
import LatticeClient
import LatticeCore
import LatticeMetrics
import LatticeTracing
import Tracing

/// The instruments with which the processes of a benchmark run.
enum BenchInstruments: String, CaseIterable, ExpressibleByArgument {
    /// Counts and durations of everything, for Prometheus.
    case metrics
    /// A tracer that ignores everything.
    case noOpTracer = "no-op-tracer"
    /// A tracer that is asked about 1 of 1,000 events, and records it. Jaeger's samplers have this rate by default.
    case sampledTraces = "sampled-traces"
    /// A tracer that is asked about 1 of 100 events, and records it.
    case frequentTraces = "frequent-traces"
    /// A tracer that records each event.
    case allTraces = "all-traces"

    /// The variable of the environment through which workers and clients learn the instruments.
    private static let variable = "LATTICE_BENCH_INSTRUMENTS"

    /// Sets the instruments of this process and of those that it starts. Call it before the benchmark.
    static func use(_ instruments: [BenchInstruments]) {
        setenv(variable, instruments.map(\.rawValue).joined(separator: " "), 1)
    }

    /// The observers of this process. Read them after ``use(_:)``.
    static let observers: [RuntimeObserver] = {
        let names = getenv(variable).map { String(cString: $0) } ?? ""
        return names.split(separator: " ").compactMap { BenchInstruments(rawValue: String($0))?.observer }
    }()

    private var observer: RuntimeObserver {
        switch self {
        case .metrics: RuntimeMetrics(factory: PrometheusRegistry()).observer
        case .noOpTracer: RuntimeTracing(tracer: NoOpTracer()).observer
        case .sampledTraces: RuntimeTracing(tracer: BenchTracer(), start: .oneOf(1_000)).observer
        case .frequentTraces: RuntimeTracing(tracer: BenchTracer(), start: .oneOf(100)).observer
        case .allTraces: RuntimeTracing(tracer: BenchTracer()).observer
        }
    }
}

extension ClientConfiguration {
    /// The configuration of the clients of benchmarks.
    static var bench: ClientConfiguration {
        var configuration = ClientConfiguration()
        configuration.observers = BenchInstruments.observers
        return configuration
    }
}
