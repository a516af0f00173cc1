/// A value in a description of a running process. It describes itself, so that a tool can show it without knowing what
/// it means.
///
/// The values are those of JSON and byte strings. The keys of maps say which unit a number has: a key that ends in
/// `Milliseconds` is a duration, and one that ends in `Bytes` is a size.
public enum DescriptionValue: Sendable, Hashable {
    /// No value, for example because the system does not tell it.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// An integer, from -2^64 to 2^64 - 1.
    case integer(Int128)
    /// A floating-point number.
    case float(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case bytes([UInt8])
    /// Values in an order.
    case array([DescriptionValue])
    /// Values with names.
    case map([String: DescriptionValue])

    /// Creates an integer.
    public init(_ number: some BinaryInteger) { self = .integer(Int128(clamping: number)) }

    /// Creates an integer, or `null` if there is none.
    public init(_ number: (some BinaryInteger)?) { self = number.map { .integer(Int128(clamping: $0)) } ?? .null }

    /// Creates a text, or `null` if there is none.
    public init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// The integer, or nil if the value is none or does not fit into 64 bits.
    public var int: Int? { if case .integer(let number) = self { Int(exactly: number) } else { nil } }

    /// The text, or nil if the value is none.
    public var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The elements, or nil if the value is no array.
    public var elements: [DescriptionValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The entries, or nil if the value is no map.
    public var entries: [String: DescriptionValue]? { if case .map(let entries) = self { entries } else { nil } }

    /// Returns the value of a key, or nil if the value is no map or has no such key.
    public subscript(key: String) -> DescriptionValue? { entries?[key] }
}

extension DescriptionValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an integer.
    public init(integerLiteral value: Int) { self = .integer(Int128(value)) }

    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .float(value) }

    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// Creates an array.
    public init(arrayLiteral elements: DescriptionValue...) { self = .array(elements) }

    /// Creates a map. Of several entries with the same key, the last one counts.
    public init(dictionaryLiteral elements: (String, DescriptionValue)...) {
        self = .map(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
