import LatticeCoding

/// The bytes that a value has on the wire.
func encoded(_ value: some Encodable) throws -> [UInt8] { try CBOREncoder().encode(value) }

/// Encoded bytes as a person reads them: `[1, {"note": [0, "x"]}]`.
func notation(_ bytes: [UInt8]) throws -> String {
    try bytes.withUnsafeBytes { bytes in
        var reader = CBORReader(bytes)
        return try notation(&reader)
    }
}

private func notation(_ reader: inout CBORReader) throws -> String {
    switch try reader.peek() {
    case .unsigned: return "\(try reader.unsigned())"
    case .text: return "\"\(try reader.text())\""
    case .bool: return "\(try reader.bool())"
    case .array:
        let items = try (0..<reader.arrayHeader()).map { _ in try notation(&reader) }
        return "[\(items.joined(separator: ", "))]"
    case .map:
        let entries = try (0..<reader.mapHeader()).map { _ in "\(try notation(&reader)): \(try notation(&reader))" }
        return "{\(entries.joined(separator: ", "))}"
    default:
        let type = "\(try reader.peek())"
        try reader.skip()
        return type
    }
}
