/// What tracing hands on from one piece of work to what it asks for: a few texts by their keys, as the headers of W3C
/// Trace Context (https://www.w3.org/TR/trace-context/) and Baggage are.
///
/// The one that is current where an event is sent, or an actor is called, travels with it, into whatever process, and
/// is current there: in the effects of the event and in the method of the actor. Lattice looks at none of it.
///
/// ```swift
/// var trace = TraceContext.current
/// trace["traceparent"] = span.header
/// await trace.withCurrent { await viewModel.sendViewEvent(.start).finish() }
/// ```
///
/// It is bounded: what would be too much is left out, as tracing never fails what it looks at.
public struct TraceContext: Sendable, Hashable {
    /// Keys that are kept.
    public static let maximumCount = 16
    /// Bytes of a key and its value together.
    public static let maximumBytes = 1_023

    /// That of the running task; empty outside of any trace.
    public static var current: TraceContext { TraceContext(lines: currentLines) }

    /// As it travels.
    @TaskLocal package static var currentLines: [String] = []

    /// KEY=VALUE, by ascending keys.
    package private(set) var lines: [String]

    /// Nothing.
    public init() {
        lines = []
    }

    package init(lines: [String]) {
        self.lines = lines
    }

    /// The keys, in the order of their bytes.
    public var keys: [String] { lines.map { Self.key(of: $0) } }

    public var isEmpty: Bool { lines.isEmpty }

    /// The value of a key; nil: it has none.
    ///
    /// What is set is left out if there are ``maximumCount`` other keys, if it has more than ``maximumBytes`` with its
    /// key, or if the key is empty or has an equals sign in it: then the key has no value.
    public subscript(key: String) -> String? {
        get {
            lines.first { Self.key(of: $0) == key }.map { line in
                String(decoding: line.utf8.dropFirst(key.utf8.count + 1), as: UTF8.self)
            }
        }
        set {
            lines.removeAll { Self.key(of: $0) == key }
            guard let newValue, !key.isEmpty, !key.utf8.contains(UInt8(ascii: "=")),
                lines.count < Self.maximumCount, key.utf8.count + newValue.utf8.count <= Self.maximumBytes
            else { return }
            let place = lines.firstIndex { key.utf8.lexicographicallyPrecedes(Self.key(of: $0).utf8) }
            lines.insert("\(key)=\(newValue)", at: place ?? lines.count)
        }
    }

    private static func key(of line: String) -> String {
        String(decoding: line.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }

    /// Runs an operation with this as the current one.
    ///
    /// - Parameter isolation: The caller's; leave it out.
    public func withCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$currentLines.withValue(lines, operation: operation)
    }

    /// The same of what waits for nothing, such as a send.
    public func withCurrent<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Self.$currentLines.withValue(lines, operation: operation)
    }
}
