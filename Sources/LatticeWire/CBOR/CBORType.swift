/// What kind of value a CBOR head begins (RFC 8949 section 3.1), as errors name it.
package enum CBORType: Sendable, Hashable, CustomStringConvertible {
    case unsigned, negative, bytes, text, array, map, tag, bool, null, undefined, simple, float

    package var description: String {
        switch self {
        case .unsigned: "an unsigned integer"
        case .negative: "a negative integer"
        case .bytes: "a byte string"
        case .text: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tag: "a tag"
        case .bool: "a boolean"
        case .null: "null"
        case .undefined: "undefined"
        case .simple: "a simple value"
        case .float: "a floating-point number"
        }
    }
}

/// Bounds of the format that RFC 8949 leaves to who reads it.
package enum CBORLimits {
    /// Levels of arrays, maps and tags inside one another: far above real data, far below any stack.
    package static let maximumDepth = 128
}
