/// An operation of a trace that has begun and has not ended. LatticeTracing implements it, so the targets that open
/// spans depend on no tracer.
package protocol OpenSpan: AnyObject, Sendable {
    /// The trace context of everything that the operation leads to, as KEY=VALUE, sorted by key.
    var lines: [String] { get }

    /// Sets an attribute. You can call it on any thread.
    func set(_ attribute: SpanAttributeName, to value: String)

    /// Names the method of a call, when it is known that the method exists. You can call it on any thread.
    func resolve(method: String)

    /// Ends the span. Only the first call has an effect. You can call it on any thread.
    func end(_ end: SpanEnd)

    /// Runs an operation in the context of the span.
    func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result

    /// Runs an asynchronous operation in the context of the span.
    func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result
}

/// An attribute that is known after the span has begun.
package enum SpanAttributeName: String, Sendable {
    /// The ID of the event, which is the same in all processes and in their logs.
    case event = "lattice.event.id"
}

/// How the operation of a span ended.
package struct SpanEnd: Sendable, Equatable {
    /// An error, which sets the status of the span.
    package struct Failure: Sendable, Equatable {
        /// The kind of the error, one of few values.
        package let type: String
        /// The reason, as a text for people.
        package let message: String

        /// Creates an error.
        package init(type: String, message: String) {
            self.type = type
            self.message = message
        }
    }

    /// The outcome in a word or two.
    package let outcome: String
    /// The error, or nil if there was none.
    package let failure: Failure?

    /// Creates an end.
    package init(_ outcome: String, failure: Failure? = nil) {
        self.outcome = outcome
        self.failure = failure
    }
}
