package import LatticeCoding

extension DescriptionValue {
    /// Appends the value. Equal values have equal bytes.
    package func encode(into writer: inout CBORWriter) {
        switch self {
        case .null: writer.appendNull()
        case .bool(let bool): writer.append(bool: bool)
        case .integer(let number): writer.append(integer: number)
        case .float(let number): writer.append(double: number)
        case .text(let text): writer.append(text: text)
        case .bytes(let bytes): writer.append(bytes: bytes)
        case .array(let elements):
            writer.append(arrayHeader: elements.count)
            for element in elements { element.encode(into: &writer) }
        case .map(let entries): Self.encode(entries, into: &writer)
        }
    }

    /// Appends a map. Its keys ascend by their encoded bytes, so shorter ones come first.
    package static func encode(_ entries: [String: DescriptionValue], into writer: inout CBORWriter) {
        writer.append(mapHeader: entries.count)
        let sorted = entries.sorted { left, right in
            let (first, second) = (left.key.utf8, right.key.utf8)
            return first.count == second.count ? first.lexicographicallyPrecedes(second) : first.count < second.count
        }
        for (key, value) in sorted {
            writer.append(text: key)
            value.encode(into: &writer)
        }
    }

    /// Reads one value and moves the reader after it. The content of a tag takes the place of the tag. Values without a
    /// counterpart here, such as CBOR's `undefined`, become `null`.
    ///
    /// - Throws: `CBORError` if the bytes are not a value, if a map has a key that is no text or occurs twice, or if
    ///   the nesting is too deep.
    package init(reading reader: inout CBORReader) throws(CBORError) {
        switch try reader.peek() {
        case .unsigned: self = .integer(Int128(try reader.unsigned()))
        case .negative: self = .integer(-1 - Int128(try Self.argument(&reader)))
        case .bytes: self = .bytes([UInt8](try reader.byteString()))
        case .text: self = .text(try reader.text())
        case .bool: self = .bool(try reader.bool())
        case .float: self = .float(try reader.float())
        case .array: self = .array(try Self.array(&reader))
        case .map: self = .map(try Self.map(&reader))
        case .tag:
            _ = try Self.argument(&reader)
            self = try Self.nested(&reader) { reader throws(CBORError) in try DescriptionValue(reading: &reader) }
        case .null, .undefined, .simple:
            try reader.skip()
            self = .null
        }
    }

    /// Reads the array of maps that *description* contains.
    ///
    /// - Throws: `CBORError` if the bytes are anything else.
    package static func rows(decoding bytes: [UInt8]) throws(CBORError) -> [[String: DescriptionValue]] {
        try bytes.withBytes { bytes throws(CBORError) in
            var reader = CBORReader(bytes)
            var rows: [[String: DescriptionValue]] = []
            let count = try reader.arrayHeader()
            try nested(&reader) { reader throws(CBORError) in
                for _ in 0..<count { rows.append(try map(&reader)) }
            }
            try reader.finish()
            return rows
        }
    }

    /// Reads the map that *operate* contains.
    ///
    /// - Throws: `CBORError` if the bytes are anything else.
    package static func entries(decoding bytes: [UInt8]) throws(CBORError) -> [String: DescriptionValue] {
        try bytes.withBytes { bytes throws(CBORError) in
            var reader = CBORReader(bytes)
            let entries = try map(&reader)
            try reader.finish()
            return entries
        }
    }

    private static func array(_ reader: inout CBORReader) throws(CBORError) -> [DescriptionValue] {
        let count = try reader.arrayHeader()
        return try nested(&reader) { reader throws(CBORError) in
            var elements: [DescriptionValue] = []
            for _ in 0..<count { elements.append(try DescriptionValue(reading: &reader)) }
            return elements
        }
    }

    private static func map(_ reader: inout CBORReader) throws(CBORError) -> [String: DescriptionValue] {
        let count = try reader.mapHeader()
        return try nested(&reader) { reader throws(CBORError) in
            var entries: [String: DescriptionValue] = [:]
            for _ in 0..<count {
                let key = try reader.text()
                let value = try DescriptionValue(reading: &reader)
                guard entries.updateValue(value, forKey: key) == nil else {
                    throw CBORError(.malformed, "the key \"\(key)\" occurs twice in one map")
                }
            }
            return entries
        }
    }

    /// Reads values inside an array, a map or a tag.
    private static func nested<Result>(
        _ reader: inout CBORReader,
        _ read: (inout CBORReader) throws(CBORError) -> Result
    ) throws(CBORError) -> Result {
        guard reader.level < CBORLimits.maximumDepth else {
            throw CBORError(.malformed, "more than \(CBORLimits.maximumDepth) levels are nested")
        }
        reader.level += 1
        defer { reader.level -= 1 }
        return try read(&reader)
    }

    /// Reads a head whose type is known, and returns its argument.
    private static func argument(_ reader: inout CBORReader) throws(CBORError) -> UInt64 {
        guard let head = CBORHead(reader.bytes, at: &reader.offset) else {
            throw CBORError(.malformed, "a head at offset \(reader.offset) is cut or not in its shortest form")
        }
        return head.argument
    }
}
