import LatticeCoding

/// Reads an array that begins with the number of a case, followed by the case's values.
///
/// Values after those that are known are skipped, so a later version can add some.
struct VariantReader {
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

    /// The sentence with which a case begins that only a later version knows; empty without one.
    mutating func firstSentence(_ reader: inout CBORReader) throws(CBORError) -> String {
        guard remaining > 0, reader.nextIsText else { return "" }
        return try sentence("sentence", &reader)
    }

    /// Counts one value that must be there.
    mutating func take(_ field: String) throws(CBORError) {
        guard remaining > 0 else { throw .missing(field, in: name) }
        remaining -= 1
    }

    mutating func finish(_ reader: inout CBORReader) throws(CBORError) {
        for _ in 0..<remaining {
            try reader.skip()
        }
        remaining = 0
        reader.level -= 1
    }
}

extension CBORWriter {
    /// Appends the head of such an array; as many values must follow.
    mutating func append(variant number: UInt64, values: Int = 0) {
        append(arrayHeader: values + 1)
        head(0, number)
    }

    mutating func append(sentence: String) {
        append(text: MessageLimits.trimmed(sentence))
    }
}
