import CoreMetrics
import LatticeConcurrency
import LatticeCore

/// What is recorded from the figures of a coordinator.
final class FigureMetrics: Sendable {
    /// The value of each series, or nil for a series whose value is unknown at the moment.
    private typealias Values = [[String]: Double?]

    private struct Core {
        var totals = ProcessorTotals()
        /// The time of the figures that were recorded last, or nil if there were none.
        var newest: ContinuousClock.Instant?
    }

    private let eventsWaiting, eventsRunning, instances, subscribers: SeriesTable<any MeterHandler>
    private let workers, clients, quarantine, eventLoopLag: SeriesTable<any MeterHandler>
    private let memory, openFiles: SeriesTable<any MeterHandler>
    private let cpuTime: SeriesTable<any FloatingPointCounterHandler>
    /// Held while figures are recorded, so that two readings are not mixed.
    private let core = Locked(Core())

    init(_ factory: any MetricsFactory) {
        func gauge(_ definition: MetricDefinition) -> SeriesTable<any MeterHandler> {
            SeriesTable(definition) {
                factory.makeMeter(label: $0.name, dimensions: $1)
            } destroy: {
                factory.destroyMeter($0)
            }
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

    /// Records figures, unless newer ones were recorded before.
    func record(_ figures: RuntimeFigures) {
        core.withLock { core in
            if let newest = core.newest, figures.instant < newest { return }
            core.newest = figures.instant
            setGauges(figures)
            for (group, time) in core.totals.add(figures.processes) {
                cpuTime.handler(Self.labels(of: group)).handler.increment(by: time.seconds)
            }
        }
    }

    private func setGauges(_ figures: RuntimeFigures) {
        set(clients, [[]: Double(figures.clients)])
        set(quarantine, [[]: Double(figures.quarantinedEvents)])
        set(eventLoopLag, [[]: figures.eventLoopLag.seconds])
        let features = figures.features
        set(eventsWaiting, sum(features) { ([$0.identifier], $0.waitingEvents) })
        set(eventsRunning, sum(features) { ([$0.identifier], $0.runningEvents) })
        set(instances, sum(features) { ([$0.identifier], $0.instances) })
        set(subscribers, sum(features) { ([$0.identifier], $0.subscribers) })
        set(workers, sum(figures.workers) { ([$0.group, $0.state], 1) })
        set(memory, sum(figures.processes) { (Self.labels(of: $0.group), $0.residentBytes) })
        set(openFiles, sum(figures.processes) { (Self.labels(of: $0.group), $0.openFiles) })
    }

    /// Returns the values of the labels of a process.
    private static func labels(of group: String?) -> [String] {
        [group == nil ? "coordinator" : "worker", group ?? ""]
    }

    /// Adds up the values of each series. What is unknown is left out.
    private func sum<Element>(_ elements: [Element], _ value: (Element) -> ([String], Int?)) -> Values {
        elements.reduce(into: [:]) { sums, element in
            let (labels, value) = value(element)
            let sum = sums[labels] ?? nil
            sums[labels] = .some(value.map { (sum ?? 0) + Double($0) } ?? sum)
        }
    }

    /// Sets the series of a gauge. Series that have no value any more become zero, and those whose value is unknown
    /// stay as they are.
    private func set(_ gauge: SeriesTable<any MeterHandler>, _ values: Values) {
        gauge.makeRoom(for: values.compactMap { $1 == nil ? nil : $0 }) { values[$0] == nil }
        for labels in gauge.known where values[labels] == nil { gauge.handler(labels).handler.set(0.0) }
        var sum = 0.0
        for (labels, value) in values {
            guard let value else { continue }
            let (handler, isOther) = gauge.handler(labels)
            if isOther { sum += value } else { handler.set(value) }
        }
        gauge.other?.set(sum)
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
