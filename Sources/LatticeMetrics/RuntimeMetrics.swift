public import CoreMetrics
import LatticeConcurrency
public import LatticeCore

/// The metrics of a coordinator, a worker or a client. It counts runtime events, and records figures that you read.
///
/// ```swift
/// let metrics = RuntimeMetrics()
/// var configuration = CoordinatorConfiguration()
/// configuration.observers.append(metrics.observer)
/// ```
///
/// The metrics go to the back end of swift-metrics that your program has chosen. ``PrometheusRegistry`` is one.
/// ``definitions`` lists them. In a process without an observer, nothing is counted.
public final class RuntimeMetrics: Sendable {
    /// The factory with which this object creates its metrics.
    let factory: any MetricsFactory
    private let events: EventMetrics
    private let gauges: FigureMetrics

    /// Creates metrics. Create one object for a process, because two count in the same series.
    ///
    /// - Parameter factory: The back end. By default it is the one of the program, so call `MetricsSystem.bootstrap`
    ///   before.
    public init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.factory = factory
        events = EventMetrics(factory)
        gauges = FigureMetrics(factory)
    }

    /// The observer that counts. Add it to the observers of the configuration of a coordinator or a client, or pass it
    /// to the `run` of a worker.
    public var observer: RuntimeObserver {
        RuntimeObserver(of: EventMetrics.kinds) { [events] event in events.count(event) }
    }

    /// Records the figures of a coordinator: queues, clients, and what the processes use. You can call it on any
    /// thread.
    ///
    /// ```swift
    /// metrics.record(await coordinator.figures())
    /// ```
    public func record(_ figures: RuntimeFigures) {
        gauges.record(figures)
    }

    /// Records figures again and again, for back ends that send metrics by themselves, until the task is cancelled.
    ///
    /// ```swift
    /// group.addTask { await metrics.run(every: .seconds(10)) { await coordinator.figures() } }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The time between the end of one reading and the next one.
    ///   - read: Returns the figures.
    public func run(every interval: Duration, _ read: @Sendable () async -> RuntimeFigures) async {
        while !Task.isCancelled {
            record(await read())
            do { try await Task.sleep(for: interval) } catch { return }
        }
    }
}

/// What is counted from runtime events.
private final class EventMetrics: Sendable {
    static let kinds: RuntimeEvent.Kinds = [
        .workerStarted, .workerTerminated, .workerOutputDropped, .eventQuarantined, .viewStateWithheld, .clientJoined,
        .clientLeft, .connectionsRejected, .sessionEnded, .callEnded, .eventEnded, .stateAccepted, .statePublished,
    ]

    private let eventDuration, callDuration: SeriesTable<any TimerHandler>
    private let stateBytes, states, workerStarts, workerTerminations: SeriesTable<any CounterHandler>
    private let outputDropped, eventsQuarantined, viewStatesWithheld: SeriesTable<any CounterHandler>
    private let clientsJoined, clientsLeft: SeriesTable<any CounterHandler>
    private let connectionsRejected, sessionsEnded: SeriesTable<any CounterHandler>

    init(_ factory: any MetricsFactory) {
        func timer(_ definition: MetricDefinition) -> SeriesTable<any TimerHandler> {
            SeriesTable(definition) { factory.makeTimer(label: $0.name, dimensions: $1) }
        }
        func counter(_ definition: MetricDefinition) -> SeriesTable<any CounterHandler> {
            SeriesTable(definition) { factory.makeCounter(label: $0.name, dimensions: $1) }
        }
        eventDuration = timer(.eventDuration)
        callDuration = timer(.callDuration)
        stateBytes = counter(.stateBytes)
        states = counter(.states)
        workerStarts = counter(.workerStarts)
        workerTerminations = counter(.workerTerminations)
        outputDropped = counter(.outputDropped)
        eventsQuarantined = counter(.eventsQuarantined)
        viewStatesWithheld = counter(.viewStatesWithheld)
        clientsJoined = counter(.clientsJoined)
        clientsLeft = counter(.clientsLeft)
        connectionsRejected = counter(.connectionsRejected)
        sessionsEnded = counter(.sessionsEnded)
    }

    /// Counts an event. It is called on the thread on which the event happens.
    func count(_ event: RuntimeEvent) {
        switch event {
        case .eventEnded(let event, let outcome, let duration):
            eventDuration(event.feature, outcome.word, outcome.errorType).recordNanoseconds(duration.nanoseconds)
        case .callEnded(let call, let outcome, let duration):
            let errorType = outcome == "returned" ? "" : outcome
            // The caller may have chosen any name for a method that does not exist.
            let method = call.isResolved ? call.method : MetricDefinition.otherValue
            callDuration("lattice", method, errorType).recordNanoseconds(duration.nanoseconds)
        case .stateAccepted(let instance, let update): count(update, of: instance, "receive")
        case .statePublished(let instance, let update): count(update, of: instance, "transmit")
        case .workerStarted(let worker): workerStarts(worker.member.group).increment(by: 1)
        case .workerTerminated(let end):
            workerTerminations(end.worker.member.group, end.cause.word, end.verdict.word).increment(by: 1)
        case .workerOutputDropped(let worker, let lines, _):
            outputDropped(worker.member.group).increment(by: Int64(lines))
        case .eventQuarantined(let event, _, _, _): eventsQuarantined(event.feature).increment(by: 1)
        case .viewStateWithheld(let instance, _): viewStatesWithheld(instance.feature).increment(by: 1)
        case .clientJoined: clientsJoined().increment(by: 1)
        case .clientLeft: clientsLeft().increment(by: 1)
        case .connectionsRejected(let rejection, let count, _):
            connectionsRejected(rejection.word).increment(by: Int64(count))
        case .sessionEnded(let peer, let problem): sessionsEnded(peer.word, problem?.code ?? "").increment(by: 1)
        default: break
        }
    }

    private func count(_ update: RuntimeEvent.StateUpdate, of instance: RuntimeEvent.Instance, _ direction: String) {
        states(instance.feature, direction).increment(by: 1)
        if let bytes = update.bytes { stateBytes(instance.feature, direction).increment(by: Int64(bytes)) }
    }
}
