import CoreMetrics
import LatticeConcurrency
import LatticeCore

/// What is recorded from the figures of a coordinator.
final class FigureMetrics: Sendable {
    private typealias Values = [[String]: Double]

    private let eventsWaiting, eventsRunning, instances, subscribers: SeriesTable<any MeterHandler>
    private let workers, clients, quarantine, eventLoopLag: SeriesTable<any MeterHandler>
    private let memory, openFiles: SeriesTable<any MeterHandler>
    private let cpuTime: SeriesTable<any FloatingPointCounterHandler>
    private let totals = Locked(ProcessorTotals())

    init(_ factory: any MetricsFactory) {
        func gauge(_ definition: MetricDefinition) -> SeriesTable<any MeterHandler> {
            SeriesTable(definition) { factory.makeMeter(label: $0.name, dimensions: $1) }
        }
        eventsWaiting = gauge(.eventsWaiting)
        eventsRunning = gauge(.eventsRunning)
        instances = gauge(.instances)
        subscribers = gauge(.subscribers)
        workers = gauge(.workers)
        clients = gauge(.clients)
        quarantine = gauge(.quarantine)
        eventLoopLag = gauge(.eventLoopLag)
        memory = gauge(.memory)
        openFiles = gauge(.openFiles)
        cpuTime = SeriesTable(.cpuTime) { factory.makeFloatingPointCounter(label: $0.name, dimensions: $1) }
    }

    func record(_ figures: RuntimeFigures) {
        set(clients, [[]: Double(figures.clients)])
        set(quarantine, [[]: Double(figures.quarantinedEvents)])
        set(eventLoopLag, [[]: figures.eventLoopLag.seconds])
        let features = figures.features
        set(eventsWaiting, sum(features) { ([$0.identifier], $0.waitingEvents) })
        set(eventsRunning, sum(features) { ([$0.identifier], $0.runningEvents) })
        set(instances, sum(features) { ([$0.identifier], $0.instances) })
        set(subscribers, sum(features) { ([$0.identifier], $0.subscribers) })
        set(workers, sum(figures.workers) { ([$0.group, $0.state], 1) })
        set(memory, sum(figures.processes) { (Self.labels(of: $0.group), $0.residentBytes ?? 0) })
        set(openFiles, sum(figures.processes) { (Self.labels(of: $0.group), $0.openFiles ?? 0) })
        for (group, time) in totals.withLock({ $0.add(figures.processes) }) {
            cpuTime.handler(Self.labels(of: group)).handler.increment(by: time.seconds)
        }
    }

    /// Returns the values of the labels of a process.
    private static func labels(of group: String?) -> [String] {
        [group == nil ? "coordinator" : "worker", group ?? ""]
    }

    private func sum<Element>(_ elements: [Element], _ value: (Element) -> ([String], Int)) -> Values {
        elements.reduce(into: [:]) { sums, element in
            let (labels, value) = value(element)
            sums[labels, default: 0] += Double(value)
        }
    }

    /// Sets the series of a gauge. Series that have no value any more become zero.
    private func set(_ gauge: SeriesTable<any MeterHandler>, _ values: Values) {
        for labels in gauge.known where values[labels] == nil { gauge.handler(labels).handler.set(0.0) }
        var other: (handler: any MeterHandler, sum: Double)?
        for (labels, value) in values {
            let (handler, isOther) = gauge.handler(labels)
            if isOther { other = (handler, (other?.sum ?? 0) + value) } else { handler.set(value) }
        }
        if let other { other.handler.set(other.sum) }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
