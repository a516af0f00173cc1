import CoreMetrics
import LatticeConcurrency
import LatticeMetrics

/// A factory that ends the test program when one name gets another type or other labels, as some back ends do.
final class StrictMetricsFactory: MetricsFactory {
    private struct Shape: Equatable {
        let type: String
        let labels: [String]
    }

    let registry = PrometheusRegistry()
    private let shapes = Locked<[String: Shape]>([:])

    /// The names that were used.
    var names: Set<String> { shapes.withLock { Set($0.keys) } }

    /// Returns what is wrong with the use of a name, or nil.
    func problem(_ label: String, _ type: String, _ dimensions: [(String, String)]) -> String? {
        let shape = Shape(type: type, labels: dimensions.map(\.0))
        return shapes.withLock { shapes in
            let known = shapes[label] ?? shape
            shapes[label] = known
            if known == shape { return nil }
            return "\(label) is a \(known.type) of \(known.labels), and now a \(type) of \(shape.labels)"
        }
    }

    private func check(_ label: String, _ type: String, _ dimensions: [(String, String)]) {
        if let problem = problem(label, type, dimensions) { preconditionFailure(problem) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        check(label, "counter", dimensions)
        return registry.makeCounter(label: label, dimensions: dimensions)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        check(label, "counter", dimensions)
        return registry.makeFloatingPointCounter(label: label, dimensions: dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        check(label, "gauge", dimensions)
        return registry.makeMeter(label: label, dimensions: dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        check(label, "recorder", dimensions)
        return registry.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        check(label, "histogram", dimensions)
        return registry.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) { registry.destroyCounter(handler) }
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        registry.destroyFloatingPointCounter(handler)
    }
    func destroyMeter(_ handler: any MeterHandler) { registry.destroyMeter(handler) }
    func destroyRecorder(_ handler: any RecorderHandler) { registry.destroyRecorder(handler) }
    func destroyTimer(_ handler: any TimerHandler) { registry.destroyTimer(handler) }
}
