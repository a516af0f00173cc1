import LatticeConcurrency

/// The spans of effects and of the turns that they cause.
extension FeatureRuntime {
    /// Begins the span of an effect that starts, if the effect is traced.
    ///
    /// - Returns: A function that runs a closure in which the task of the effect is created.
    func beginSpan(of effect: Effect) -> EffectSurroundings {
        let context = effect.tree.context
        guard let tracing else { return EffectSurroundings(context: context) }
        let lines = effect.trace.isEmpty ? context.trace : effect.trace
        effect.span = tracing.beginEffect(effect.label?.name, in: lines)
        return EffectSurroundings(context: context, span: effect.span)
    }

    /// Begins the span of a turn that an effect causes, if the effect is traced.
    func beginTurn(of effect: Effect) -> (any OpenSpan)? {
        guard let span = effect.span else { return nil }
        return tracing?.beginTurn(in: span.lines)
    }

    /// Runs a turn in its span. What the turn requests belongs to the span.
    func trace(_ span: any OpenSpan, _ turn: () -> Void) {
        let facts = self.turn.current.facts
        facts.pointee.trace = span.lines
        span.withCurrent(turn)
        facts.pointee.trace = []
        let failure = facts.pointee.failure.take()
        span.end(SpanEnd(failure.map { .failed($0) } ?? .finished))
    }
}

/// The context and the span with which the task of an effect is created.
struct EffectSurroundings {
    var context: EventContext
    var span: (any OpenSpan)?

    /// Runs a closure whose tasks inherit the context and the span.
    func around<Result>(_ body: () -> Result) -> Result {
        guard let span else { return context.around(body) }
        var context = context
        context.trace = span.lines
        return span.withCurrent { context.around(body) }
    }
}
