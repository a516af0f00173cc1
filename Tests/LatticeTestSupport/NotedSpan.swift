package import LatticeConcurrency

/// A span that only notes how it ends.
package final class NotedSpan: OpenSpan {
    package let lines: [String]
    private let onEnd: @Sendable (SpanEnd) -> Void

    /// Creates a span.
    ///
    /// - Parameters:
    ///   - lines: The trace context of the span.
    ///   - onEnd: Called with each end.
    package init(_ lines: [String], onEnd: @escaping @Sendable (SpanEnd) -> Void) {
        self.lines = lines
        self.onEnd = onEnd
    }

    package func set(_ attribute: SpanAttributeName, to value: String) {}

    package func resolve(method: String) {}

    package func end(_ end: SpanEnd) { onEnd(end) }

    package func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

    package func withCurrent<Result>(_ body: () async throws -> Result) async rethrows -> Result { try await body() }
}
