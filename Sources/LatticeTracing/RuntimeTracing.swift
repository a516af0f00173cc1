import LatticeConcurrency
public import LatticeCore
import Synchronization
public import Tracing

/// Opens spans for the events, turns, effects, calls and restarts of a coordinator, a worker or a client.
///
/// ```swift
/// let tracing = RuntimeTracing()
/// var configuration = CoordinatorConfiguration()
/// configuration.observers.append(tracing.observer)
/// ```
///
/// Do this in each process. The spans of one event have one trace, because its context travels with the event. They go
/// to the back end of swift-distributed-tracing that your program has chosen.
public struct RuntimeTracing: Sendable {
    /// The events and calls with which a trace begins.
    public enum Start: Sendable, Hashable {
        /// Each event and call that belongs to no trace begins one. The sampler of the tracer decides which are
        /// recorded.
        case always
        /// One of this many events and calls that belong to no trace begins one, chosen evenly. The tracer is not asked
        /// about the others, which is cheaper than a sampler of its own. A number below 1 counts as 1.
        case oneOf(Int)
        /// Only what the program sends inside a span is traced.
        case insideSpans
    }

    /// The observer that opens spans. Add it to the observers of the configuration of a coordinator or a client, or
    /// pass it to the `run` of a worker. Of several tracers in one process, the first one is used.
    ///
    /// It does nothing if the back end is the one that ignores all spans.
    public let observer: RuntimeObserver

    /// Creates the tracing of a process.
    ///
    /// - Parameters:
    ///   - tracer: The back end. By default it is the one of the program, so call `InstrumentationSystem.bootstrap`
    ///     before.
    ///   - start: The events and calls with which a trace begins.
    public init(tracer: any Tracer = InstrumentationSystem.tracer, start: Start = .always) {
        if tracer is NoOpTracer {
            observer = RuntimeObserver(of: []) { _ in }
            return
        }
        let restarts = RestartSpans(tracer)
        observer = RuntimeObserver(
            of: RestartSpans.kinds,
            tracer: SpanFactory(tracer, start),
            receive: restarts.receive
        )
    }
}

/// Begins spans at a tracer.
private final class SpanFactory: RuntimeTracer {
    private let tracer: any Tracer
    /// One of this many operations that belong to no trace begins one, or nil if none does.
    private let period: UInt64?
    /// Grows with each operation that may begin a trace.
    private let count = Atomic<UInt64>(0)

    init(_ tracer: any Tracer, _ start: RuntimeTracing.Start) {
        self.tracer = tracer
        period =
            switch start {
            case .always: 1
            case .oneOf(let period): UInt64(clamping: max(1, period))
            case .insideSpans: nil
            }
    }

    /// Whether an operation that belongs to no trace begins one.
    private var startsTrace: Bool {
        guard let period else { return false }
        if period == 1 { return true }
        // Mixing the bits keeps a program that sends its events in a fixed pattern from tracing one kind only.
        var bits = count.wrappingAdd(0x9e37_79b9_7f4a_7c15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return (bits ^ (bits >> 31)) % period == 0
    }

    func begin(_ operation: TracedOperation, in lines: [String]) -> (any OpenSpan)? {
        guard let parent = parent(of: operation, in: lines) else { return nil }
        let description = SpanDescription(operation)
        let span: any Span = tracer.startAnySpan(description.name, context: parent, ofKind: description.kind)
        guard span.isRecording else {
            span.end()
            return nil
        }
        var trace = TraceContext(lines: lines)
        tracer.inject(span.context, into: &trace, using: TraceInjector())
        return RuntimeSpan(span, description.attributes, lines: trace.lines)
    }

    /// Whether a context belongs to a trace, which is what the tracer would pass on.
    private func isTraced(_ context: ServiceContext) -> Bool {
        var trace = TraceContext()
        tracer.inject(context, into: &trace, using: TraceInjector())
        return !trace.isEmpty
    }

    /// Returns the context that a span belongs to, or nil if none begins.
    private func parent(of operation: TracedOperation, in lines: [String]) -> ServiceContext? {
        // A received message belongs to the trace of its sender. A sent one belongs to the innermost span of the
        // program, and only without one to the context that the program has set with `TraceContext`.
        if operation.isSent, let current = ServiceContext.current, isTraced(current) { return current }
        if !lines.isEmpty {
            var context = ServiceContext.topLevel
            tracer.extract(TraceContext(lines: lines), into: &context, using: TraceExtractor())
            // Another process may have sent any keys, and begins no trace here by those that the tracer does not know.
            if !context.isEmpty { return context }
        }
        // For the work of an event it was decided when the event was sent.
        return operation.isSent && startsTrace && EventID.current == nil ? .topLevel : nil
    }
}

/// A span of the runtime.
private final class RuntimeSpan: OpenSpan {
    private let span: any Span
    /// The attributes that the span gets when it ends, or nil after that. A span copies all that it has with each one
    /// that is set, so it gets them together.
    private let attributes: Locked<SpanAttributes?>
    let lines: [String]

    init(_ span: any Span, _ attributes: SpanAttributes, lines: [String]) {
        self.span = span
        self.attributes = Locked(attributes)
        self.lines = lines
    }

    func set(_ attribute: SpanAttributeName, to value: String) {
        attributes.withLock { $0?[attribute.rawValue] = value }
    }

    func resolve(method: String) {
        let method = SpanDescription.readable(method: method)
        span.operationName = method
        attributes.withLock { $0?["rpc.method"] = method }
    }

    func end(_ end: SpanEnd) {
        guard let attributes = attributes.withLock({ $0.take() }) else { return }
        span.finish(end, attributes)
    }

    func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ServiceContext.$current.withValue(span.context) {
            try TraceContext(lines: lines).withCurrent(body)
        }
    }

    func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await ServiceContext.$current.withValue(span.context) {
            try await TraceContext(lines: lines).withCurrent(body)
        }
    }
}

extension Span {
    /// Ends the span as its operation ended.
    ///
    /// - Parameter facts: Further attributes.
    func finish(_ end: SpanEnd, _ facts: SpanAttributes = [:]) {
        var facts = facts
        facts["lattice.outcome"] = end.outcome
        if let failure = end.failure {
            facts["error.type"] = failure.type
            setStatus(SpanStatus(code: .error, message: failure.message))
        }
        attributes.merge(facts)
        self.end()
    }
}

/// Writes a trace context.
private struct TraceInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout TraceContext) {
        carrier[key] = value
    }
}

/// Reads a trace context.
private struct TraceExtractor: Extractor {
    func extract(key: String, from carrier: TraceContext) -> String? { carrier[key] }
}
