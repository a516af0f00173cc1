package import LatticeConcurrency

/// Opens spans for what the runtime does. A process has at most one, in ``RuntimeEvents/tracer``.
package protocol RuntimeTracer: AnyObject, Sendable {
    /// Begins a span.
    ///
    /// - Parameters:
    ///   - operation: What begins.
    ///   - lines: The trace context that the operation belongs to, as KEY=VALUE. An operation that this process causes
    ///     may also belong to a trace of the running task.
    /// - Returns: The span, or nil if the operation is not traced.
    func begin(_ operation: TracedOperation, in lines: [String]) -> (any OpenSpan)?
}

/// An operation of the runtime that can have a span.
package enum TracedOperation: Sendable {
    /// This process sends an event and waits for its outcome.
    case event(feature: String, instance: String)
    /// A coordinator receives an event of a client, forwards it to the worker and waits for its outcome.
    case forwarding(feature: String, instance: String)
    /// An interactor handles an event, or an action of an effect.
    case turn(feature: String, instance: String)
    /// An effect runs. Its name is nil if it has none.
    case effect(feature: String, instance: String, name: String?)
    /// This process calls a method of an actor, or asks a feature.
    case call(method: String)
    /// A call of an actor, or a question to a feature, runs here.
    case answer(caller: String)
}

/// The tracer of the events, turns and effects of one feature.
package final class FeatureTracing: Sendable {
    private let tracer: any RuntimeTracer
    private let feature: String
    private let instance: String

    /// Creates the tracer of a feature, or nil if nothing is traced.
    package init?(_ tracer: (any RuntimeTracer)?, feature: String, instance: String) {
        guard let tracer else { return nil }
        self.tracer = tracer
        self.feature = feature
        self.instance = instance
    }

    /// Begins the span of an event that this process sends. Returns nil if it is not traced.
    package func beginEvent(in lines: [String]) -> (any OpenSpan)? {
        tracer.begin(.event(feature: feature, instance: instance), in: lines)
    }

    /// Begins the span of a turn. Returns nil if its trace context is empty.
    package func beginTurn(in lines: [String]) -> (any OpenSpan)? {
        lines.isEmpty ? nil : tracer.begin(.turn(feature: feature, instance: instance), in: lines)
    }

    /// Begins the span of an effect. Returns nil if its trace context is empty.
    func beginEffect(_ name: String?, in lines: [String]) -> (any OpenSpan)? {
        lines.isEmpty ? nil : tracer.begin(.effect(feature: feature, instance: instance, name: name), in: lines)
    }
}

extension SpanEnd {
    /// The end of an event.
    package init(_ outcome: EventOutcome) {
        let message: String? =
            switch outcome {
            case .finished, .cancelled: nil
            case .failed(let failure): "\(failure)"
            case .rejected(let rejection): "\(rejection)"
            case .interrupted(let interruption): "\(interruption)"
            case .unknown(let unknown): "\(unknown)"
            }
        let type = outcome.errorType.isEmpty ? outcome.word : outcome.errorType
        self.init(outcome.word, failure: message.map { Failure(type: type, message: $0) })
    }

    /// The end of an effect.
    init(_ result: Result<some Any, any Error>) {
        switch result {
        case .success: self.init("finished")
        case .failure(is CancellationError): self.init("cancelled")
        case .failure(let error):
            self.init("failed", failure: Failure(type: "failed", message: "\(EffectFailure(error))"))
        }
    }
}
