import LatticeConcurrency
import LatticeCore

extension FeatureServer {
    /// Applies an action in the span of its turn.
    func send(_ action: Feature.Action, in context: EventContext, _ event: UInt64, _ span: any OpenSpan) -> EventTask {
        var context = context
        context.trace = span.lines
        if let id = context.id { span.set(.event, to: "\(id)") }
        let task = span.withCurrent { runtime.send(action, in: context, event: event) }
        // An event with running effects has no outcome yet.
        span.end(SpanEnd(task.outcome ?? .finished))
        return task
    }
}
