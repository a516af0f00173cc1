package import InMemoryTracing
package import LatticeCore
import LatticeTestSupport
import Tracing

/// A span that has ended, in a form that crosses processes.
package struct TestSpan: Codable, Sendable, Equatable {
    package let trace: String
    package let id: String
    package let parent: String?
    package let name: String
    /// The attributes whose values are texts.
    package let attributes: [String: String]
    /// The message of an error status, or nil.
    package let error: String?

    /// Creates a span from a line of ``text``.
    package init?(_ line: Substring) {
        let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 6, fields[0] == "span" else { return nil }
        (trace, id, name) = (fields[1], fields[2], fields[4])
        parent = fields[3].isEmpty ? nil : fields[3]
        error = fields[5].isEmpty ? nil : fields[5]
        let pairs = fields[6...].map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        attributes = Dictionary(pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { first, _ in first }
    }

    fileprivate init(_ span: FinishedInMemorySpan) {
        (trace, id, parent) = (span.traceID, span.spanID, span.parentSpanID)
        name = span.operationName
        error = span.status?.code == .error ? span.status?.message ?? "error" : nil
        var attributes: [String: String] = [:]
        span.attributes.forEach { key, value in
            if case .string(let text) = value { attributes[key] = text }
        }
        self.attributes = attributes
    }

    /// The span as a line.
    package var text: String {
        let fields = ["span", trace, id, parent ?? "", name, error ?? ""]
        return (fields + attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: "|")
    }
}

extension InMemoryTracer {
    /// Creates a tracer whose spans have random IDs, so that they are unique across processes.
    package static func forProcesses() -> InMemoryTracer {
        @Sendable func id() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }
        return InMemoryTracer(idGenerator: IDGenerator(nextTraceID: id, nextSpanID: id), recordInjections: false)
    }

    /// The spans that have ended.
    package var ended: [TestSpan] { finishedSpans.map { TestSpan($0) } }
}

/// A feature whose events have effects, one after the other.
package enum TracedFeature: AnsweringFeature {
    package enum Action: Codable, Sendable {
        /// Has an effect, which sends `more`.
        case work
        /// Has another effect, which sends `done`.
        case more
        case done
        /// Has an effect that throws.
        case fail
    }

    package enum Question: Codable, Sendable {
        /// Returns the spans that have ended in the worker.
        case spans
        /// Ends the worker.
        case crash
    }

    /// What an effect does in the program that runs it.
    package enum Work: HostDependencyKey {
        package static let defaultValue: @Sendable () async -> Void = {}
    }

    /// Returns the spans of the program that runs the feature.
    package enum Spans: HostDependencyKey {
        package static let defaultValue: @Sendable () -> [TestSpan] = { [] }
    }

    package struct Failure: Error, Codable, CustomStringConvertible {
        package var description: String { "it fails" }
    }

    package static let identifier = "traced"

    package static func initialDomainState(in context: HostContext) -> Int { 0 }

    package static func interactor(in context: HostContext) -> Interact<Int, Action> {
        let work = context[Work.self]
        return Interact { count, action in
            switch action {
            case .work:
                return .perform {
                    await work()
                    return .more
                }.named("first", whenInterrupted: .fail)
            case .more: return .perform { .done }
            case .done: count += 1
            case .fail: return .run { _ in throw Failure() }
            }
            return .none
        }
    }

    package static func reducer() -> BuildViewState<Int, Int> {
        BuildViewState(initial: { $0 }) { count, view in view = count }
    }

    package static func answer(_ question: Question, from count: Int, in context: HostContext) -> [TestSpan] {
        switch question {
        case .spans: return context[Spans.self]()
        case .crash:
            UnrulyFeature.endProcess(1)
            return []
        }
    }
}
