import LatticeCoding
import LatticeConcurrency
import Tracing

/// A tracer that does what a real one does until its spans are exported: it draws IDs, carries them as W3C Trace
/// Context, and keeps the attributes of a span until its end.
struct BenchTracer: Tracer {
    /// A span of ``BenchTracer``.
    final class Span: Tracing.Span {
        private struct State {
            var operationName: String
            var attributes: SpanAttributes = [:]
            var status: SpanStatus?
            var hasEnded = false
        }

        let context: ServiceContext
        private let state: Locked<State>

        init(_ operationName: String, _ context: ServiceContext) {
            self.context = context
            state = Locked(State(operationName: operationName))
        }

        var isRecording: Bool { context[Key.self]?.isSampled ?? false && !state.withLock(\.hasEnded) }

        var operationName: String {
            get { state.withLock(\.operationName) }
            set { state.withLock { $0.operationName = newValue } }
        }

        var attributes: SpanAttributes {
            get { state.withLock(\.attributes) }
            set { state.withLock { $0.attributes = newValue } }
        }

        func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
        func addEvent(_ event: SpanEvent) {}
        func addLink(_ link: SpanLink) {}

        func recordError<Instant: TracerInstant>(
            _ error: any Error,
            attributes: SpanAttributes,
            at instant: @autoclosure () -> Instant
        ) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            _ = instant()
            state.withLock { $0.hasEnded = true }
        }
    }

    /// The place of a span in its trace.
    private struct Place: Sendable {
        let trace: UInt128
        let span: UInt64
        let isSampled: Bool
    }

    private enum Key: ServiceContextKey {
        typealias Value = Place
    }

    private static let header = "traceparent"

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> Span {
        _ = instant()
        var context = context()
        let parent = context[Key.self]
        let isSampled = parent?.isSampled ?? true
        context[Key.self] = Place(
            trace: parent?.trace ?? .random(in: 1...(.max)),
            span: .random(in: 1...(.max)),
            isSampled: isSampled
        )
        return Span(operationName, context)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context[Key.self] else { return }
        let value = "00-\(place.trace.hexadecimal)-\(place.span.hexadecimal)-0\(place.isSampled ? 1 : 0)"
        injector.inject(value, forKey: Self.header, into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let value = extractor.extract(key: Self.header, from: carrier) else { return }
        // 00-TRACE-SPAN-FLAGS
        let text = Array(value.utf8)
        guard text.count == 55, let trace = UInt128(String(decoding: text[3..<35], as: UTF8.self), radix: 16),
            let span = UInt64(String(decoding: text[36..<52], as: UTF8.self), radix: 16)
        else { return }
        context[Key.self] = Place(trace: trace, span: span, isSampled: text[54] & 1 == 1)
    }
}
