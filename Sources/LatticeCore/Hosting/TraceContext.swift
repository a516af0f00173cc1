/// The tracing metadata that travels with an event: a few strings by key, such as the headers of W3C Trace Context
/// (https://www.w3.org/TR/trace-context/) and Baggage.
///
/// The context that is current where you send an event or call an actor travels with the event or call to any process.
/// It is current there in the effects of the event, or in the method of the actor. Lattice does not interpret it.
///
/// ```swift
/// var trace = TraceContext.current
/// trace["traceparent"] = span.header
/// await trace.withCurrent { await viewModel.sendViewEvent(.start).finish() }
/// ```
///
/// The size is limited. Values beyond the limits are dropped silently, because tracing must not make an operation fail.
public struct TraceContext: Sendable, Hashable {
    /// The maximum number of keys.
    public static let maximumCount = 16
    /// The maximum size of a key and its value together, in bytes.
    public static let maximumBytes = 1_023

    /// The context of the current task. It is empty outside of any trace.
    public static var current: TraceContext { TraceContext(lines: currentLines) }

    /// The context of the current task in its encoded form.
    @TaskLocal package static var currentLines: [String] = []

    /// The keys and values as KEY=VALUE, sorted by key.
    package private(set) var lines: [String]

    /// Creates an empty context.
    public init() {
        lines = []
    }

    /// Creates a context from its encoded form.
    package init(lines: [String]) {
        self.lines = lines
    }

    /// The keys, sorted by their bytes.
    public var keys: [String] { lines.map { Self.key(of: $0) } }

    /// A Boolean value that indicates whether the context has no keys.
    public var isEmpty: Bool { lines.isEmpty }

    /// The value of a key, or nil if the key has no value.
    ///
    /// A new value is dropped if there are ``maximumCount`` other keys, if the key and the value have more than
    /// ``maximumBytes`` bytes, or if the key is empty or contains an equals sign. The key then has no value.
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

    /// Runs an asynchronous operation with this context as the current one.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the caller. Omit this argument.
    ///   - operation: The operation.
    public func withCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$currentLines.withValue(lines, operation: operation)
    }

    /// Runs a synchronous operation, such as a send, with this context as the current one.
    public func withCurrent<Result>(_ operation: () throws -> Result) rethrows -> Result {
        try Self.$currentLines.withValue(lines, operation: operation)
    }
}
