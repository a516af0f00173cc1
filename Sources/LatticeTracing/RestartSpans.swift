import LatticeConcurrency
import LatticeCore
import Tracing

/// The spans of restarts: from the end of a worker until its next incarnation serves.
///
/// Each span begins a trace of its own. It belongs to no event, because a worker has many.
final class RestartSpans: Sendable {
    /// The events of the runtime that begin and end restarts.
    static let kinds: RuntimeEvent.Kinds = [
        .workerTerminated, .workerServing, .workerStartFailed, .workerGivenUp,
    ]
    /// The maximum number of restarts that are traced at once. Each is one worker. With a further one the oldest span
    /// ends, because a worker that is stopped while it waits for its restart reports no end.
    static let maximumCount = 1_000

    /// The open spans by their workers.
    private struct Open {
        var spans: [RuntimeEvent.Member: (number: UInt64, span: any Span)] = [:]
        /// The number of the last restart that began.
        var last: UInt64 = 0

        /// Adds a span.
        ///
        /// - Returns: The oldest span, if there are too many.
        mutating func add(_ span: any Span, of member: RuntimeEvent.Member) -> (any Span)? {
            var oldest: (any Span)?
            if spans.count >= RestartSpans.maximumCount,
                let first = spans.min(by: { $0.value.number < $1.value.number })?.key
            {
                oldest = spans.removeValue(forKey: first)?.span
            }
            last += 1
            spans[member] = (last, span)
            return oldest
        }
    }

    private let tracer: any Tracer
    private let open = Locked(Open())

    init(_ tracer: any Tracer) {
        self.tracer = tracer
    }

    @Sendable func receive(_ event: RuntimeEvent) {
        switch event {
        case .workerTerminated(let end):
            let failure = SpanEnd.Failure(type: end.cause.word, message: "\(end.cause)")
            finish(end.worker.member, SpanEnd("terminated", failure: failure))
            if case .restart(let restart) = end.verdict { begin(end, restart) }
        case .workerServing(let worker, _): finish(worker.member, SpanEnd("serving"))
        case .workerStartFailed(let member, _, let reason):
            finish(member, SpanEnd("start failed", failure: SpanEnd.Failure(type: "start failed", message: reason)))
        case .workerGivenUp(let member, let failure, _):
            finish(member, SpanEnd("given up", failure: SpanEnd.Failure(type: "given up", message: failure.reason)))
        default: break
        }
    }

    private func begin(_ end: RuntimeEvent.Termination, _ restart: HostStatus.Restart) {
        let span: any Span = tracer.startAnySpan("restart", context: .topLevel, ofKind: .internal)
        let member = end.worker.member
        span.attributes.merge([
            "lattice.group": .string(member.group), "lattice.cause": .string(end.cause.word),
            "lattice.restart.attempt": .int64(Int64(restart.attempt)),
            "lattice.incarnation": .string("\(end.worker.incarnation)"),
        ])
        open.withLock { $0.add(span, of: member) }?.finish(SpanEnd("unknown"))
    }

    private func finish(_ member: RuntimeEvent.Member, _ end: SpanEnd) {
        open.withLock { $0.spans.removeValue(forKey: member) }?.span.finish(end)
    }
}
