import InMemoryTracing
import LatticeConcurrency
import LatticeCore
import LatticeTracing
import Testing
import Tracing

@Suite struct RuntimeTracingTests {
    private static let event = TracedOperation.event(feature: "list", instance: "a")
    private static let turn = TracedOperation.turn(feature: "list", instance: "a")

    /// A tracer that records nothing, as one that samples no trace.
    private final class UnsampledTracer: Tracer {
        let started = Locked(0)

        func startSpan<Instant: TracerInstant>(
            _ operationName: String,
            context: @autoclosure () -> ServiceContext,
            ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant,
            function: String,
            file fileID: String,
            line: UInt
        ) -> NoOpTracer.NoOpSpan {
            started.withLock { $0 += 1 }
            return NoOpTracer.NoOpSpan(context: context())
        }

        func startAnySpan<Instant: TracerInstant>(
            _ operationName: String,
            context: @autoclosure () -> ServiceContext,
            ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant,
            function: String,
            file fileID: String,
            line: UInt
        ) -> any Span {
            startSpan(
                operationName,
                context: context(),
                ofKind: kind,
                at: instant(),
                function: function,
                file: fileID,
                line: line
            )
        }

        func forceFlush() {}
        func inject<Carrier, Inject: Injector>(_: ServiceContext, into: inout Carrier, using: Inject)
        where Inject.Carrier == Carrier {}
        func extract<Carrier, Extract: Extractor>(_: Carrier, into: inout ServiceContext, using: Extract)
        where Extract.Carrier == Carrier {}
    }

    private func makeTracer(_ tracing: RuntimeTracing) -> (any RuntimeTracer)? {
        RuntimeEvents([tracing.observer]).tracer
    }

    @Test("Without a back end there is no tracer, and nothing is observed")
    func observesNothingWithoutBackEnd() {
        for tracing in [RuntimeTracing(), RuntimeTracing(tracer: NoOpTracer())] {
            #expect(makeTracer(tracing) == nil && tracing.observer.interest == [])
        }
    }

    @Test("An operation that is not recorded has no span, and its trace context does not travel")
    func unsampled() {
        let unsampled = UnsampledTracer()
        #expect(makeTracer(RuntimeTracing(tracer: unsampled))?.begin(Self.event, in: []) == nil)
        #expect(unsampled.started.withLock(\.self) == 1)
    }

    @Test("What is received without a trace is not traced, whatever other keys its sender has added")
    func receivedWithoutTrace() {
        let memory = InMemoryTracer()
        let tracer = makeTracer(RuntimeTracing(tracer: memory))
        for operation in [
            Self.turn, .forwarding(feature: "", instance: ""), .answer(caller: ""),
            .effect(feature: "", instance: "", name: nil),
        ] {
            for lines in [[], ["baggage=user=7"], ["traceparent=00-1"]] {
                #expect(tracer?.begin(operation, in: lines) == nil)
            }
        }
        #expect(memory.activeSpans.isEmpty)
    }

    @Test("Traces begin where the program says", arguments: [RuntimeTracing.Start.always, .insideSpans])
    func start(_ start: RuntimeTracing.Start) throws {
        let memory = InMemoryTracer()
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: memory, start: start)))
        #expect((tracer.begin(Self.event, in: []) != nil) == (start == .always))
        let inside = memory.withSpan("outer") { outer in
            tracer.begin(Self.event, in: []).map { ($0, outer.spanID) }
        }
        let (span, outer) = try #require(inside)
        span.end(SpanEnd(.finished))
        #expect(memory.finishedSpans.first { $0.operationName == "event list" }?.parentSpanID == outer)
    }

    @Test("The effects of an event that is not traced begin no traces")
    func effectsOfUntracedEvent() throws {
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: InMemoryTracer())))
        let event = try #require(EventID("list/a/00000000000000000000000000000001/2/3"))
        let isTraced = TaskSubject.$current.withValue(.event(EventContext(id: event))) {
            tracer.begin(Self.event, in: []) != nil
        }
        #expect(!isTraced)
        #expect(tracer.begin(Self.event, in: []) != nil)
    }

    @Test("One of ten events begins a trace, and the tracer is not asked about the others")
    func oneOf() throws {
        let unsampled = UnsampledTracer()
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: unsampled, start: .oneOf(10))))
        for _ in 0..<10_000 { #expect(tracer.begin(Self.event, in: []) == nil) }
        #expect(800...1_200 ~= unsampled.started.withLock(\.self))
        let all = try #require(makeTracer(RuntimeTracing(tracer: unsampled, start: .oneOf(-3))))
        let before = unsampled.started.withLock(\.self)
        #expect(all.begin(Self.event, in: []) == nil && unsampled.started.withLock(\.self) == before + 1)
    }

    @Test("A span keeps the other keys of the trace context, and adds its own")
    func otherKeys() throws {
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: InMemoryTracer())))
        let span = try #require(tracer.begin(Self.event, in: ["baggage=user=7"]))
        #expect(TraceContext(lines: span.lines)["baggage"] == "user=7")
        #expect(span.lines.count == 3 && span.lines == span.lines.sorted())
    }

    @Test("A received operation belongs to its sender, even if the task has a span")
    func parents() throws {
        let memory = InMemoryTracer()
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: memory)))
        let sent = try #require(tracer.begin(Self.event, in: []))
        let turn = try memory.withSpan("unrelated") { _ in try #require(tracer.begin(Self.turn, in: sent.lines)) }
        sent.withCurrent { #expect(TraceContext.current.lines == sent.lines) }
        let inner = turn.withCurrent { memory.withSpan("inner") { $0.parentSpanID } }
        turn.end(SpanEnd("finished"))
        turn.end(SpanEnd(.cancelled))
        sent.end(SpanEnd(.rejected(.closed)))
        let ended = memory.finishedSpans.filter { $0.operationName != "unrelated" }
        #expect(ended.map(\.operationName) == ["inner", "turn list", "event list"])
        #expect(ended[1].parentSpanID == ended[2].spanID && inner == ended[1].spanID)
        #expect(ended[1].attributes.get("lattice.outcome") == .string("finished"))
        #expect(ended[2].status?.code == .error && ended[1].status == nil)
    }

    @Test("A method is named only when it is known to exist")
    func methods() throws {
        let memory = InMemoryTracer()
        let tracer = try #require(makeTracer(RuntimeTracing(tracer: memory)))
        let call = try #require(tracer.begin(.call(method: "double"), in: []))
        for isResolved in [true, false] {
            let answer = try #require(tracer.begin(.answer(caller: "client"), in: call.lines))
            if isResolved { answer.resolve(method: "double") }
            answer.end(SpanEnd("returned"))
        }
        #expect(memory.finishedSpans.map(\.operationName) == ["double", "call"])
    }

    @Test("A restart that fails again ends with an error, and the next one has a span of its own")
    func restarts() {
        let memory = InMemoryTracer()
        let events = RuntimeEvents([RuntimeTracing(tracer: memory).observer])
        let member = RuntimeEvent.Member(group: "uploads")
        func end(_ incarnation: UInt64, _ verdict: RuntimeEvent.Termination.Verdict) {
            let worker = RuntimeEvent.Worker(member: member, incarnation: incarnation, processID: 7)
            let end = RuntimeEvent.Termination(worker: worker, cause: .signal(9), verdict: verdict)
            events.emit(.workerTerminated, .workerTerminated(end))
        }
        let restart = HostStatus.Restart(attempt: 1, delay: .zero, cause: .signal(9))
        end(1, .restart(restart))
        end(2, .restart(restart))
        let worker = RuntimeEvent.Worker(member: member, incarnation: 3, processID: 8)
        events.emit(.workerServing, .workerServing(worker, build: ""))
        end(3, .stop)
        #expect(memory.finishedSpans.map(\.operationName) == ["restart", "restart"])
        #expect(memory.finishedSpans.map { $0.status?.code == .error } == [true, false])
        #expect(memory.activeSpans.isEmpty)
    }

    @Test("With more restarts than the limit the oldest span ends, and restarts are still traced")
    func manyRestarts() {
        let memory = InMemoryTracer()
        let events = RuntimeEvents([RuntimeTracing(tracer: memory).observer])
        let restart = HostStatus.Restart(attempt: 1, delay: .zero, cause: .signal(9))
        func worker(_ number: Int) -> RuntimeEvent.Worker {
            RuntimeEvent.Worker(member: .init(group: "g\(number)"), incarnation: 1, processID: 7)
        }
        for number in 0...1_000 {
            let end = RuntimeEvent.Termination(worker: worker(number), cause: .signal(9), verdict: .restart(restart))
            events.emit(.workerTerminated, .workerTerminated(end))
        }
        #expect(memory.activeSpans.count == 1_000)
        #expect(memory.finishedSpans.map { $0.attributes.get("lattice.group") } == [.string("g0")])
        #expect(memory.finishedSpans.map { $0.attributes.get("lattice.outcome") } == [.string("unknown")])
        events.emit(.workerServing, .workerServing(worker(1_000), build: ""))
        #expect(memory.finishedSpans.last?.attributes.get("lattice.outcome") == .string("serving"))
    }
}
