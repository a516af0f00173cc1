import LatticeCoding

/// Reads a variant: an array of the number of a case and the case's values.
///
/// Values after the known ones are skipped, so a later version can add values.
struct VariantReader {
    /// The number of the case.
    let number: UInt64
    private let name: String
    private var remaining: Int

    init(_ reader: inout CBORReader, _ name: String) throws(CBORError) {
        let count = try reader.arrayHeader()
        guard count > 0 else { throw .emptyVariant(name) }
        number = try reader.unsigned()
        remaining = count - 1
        self.name = name
        reader.level += 1
    }

    mutating func unsigned(_ field: String, _ reader: inout CBORReader) throws(CBORError) -> UInt64 {
        try take(field)
        return try reader.unsigned()
    }

    mutating func int32(_ field: String, _ reader: inout CBORReader) throws(CBORError) -> Int32 {
        try take(field)
        return try reader.int32()
    }

    mutating func sentence(_ field: String, _ reader: inout CBORReader) throws(CBORError) -> String {
        try take(field)
        return try FieldType.sentence.read(&reader, field)
    }

    /// Reads bytes that a case may end with, or returns nil if it does not have them.
    mutating func optionalBytes(
        _ field: String,
        atMost maximum: Int,
        _ reader: inout CBORReader
    ) throws(CBORError) -> [UInt8]? {
        guard remaining > 0 else { return nil }
        try take(field)
        return try FieldType.bytes(0...maximum).read(&reader, field)
    }

    /// Reads the sentence of a case that only a later version knows; empty if the case does not begin with one.
    mutating func firstSentence(_ reader: inout CBORReader) throws(CBORError) -> String {
        guard remaining > 0, reader.nextIsText else { return "" }
        return try sentence("sentence", &reader)
    }

    /// Whether the case has no more values.
    var isAtEnd: Bool { remaining == 0 }

    /// Counts one value that must be present.
    mutating func take(_ field: String) throws(CBORError) {
        guard remaining > 0 else { throw .missing(field, in: name) }
        remaining -= 1
    }

    /// Skips the remaining values of the array.
    mutating func finish(_ reader: inout CBORReader) throws(CBORError) {
        for _ in 0..<remaining {
            try reader.skip()
        }
        remaining = 0
        reader.level -= 1
    }
}

extension CBORWriter {
    /// Appends the head of a variant. That number of values must follow.
    mutating func append(variant number: UInt64, values: Int = 0) {
        append(arrayHeader: values + 1)
        head(0, number)
    }

    mutating func append(sentence: String) {
        append(text: MessageLimits.trimmed(sentence))
    }
}
