import LatticeCoding

/// The type of a field: the values that the field can have, and how they are written and read.
package struct FieldType<Value> {
    /// Writes a value.
    let write: (Value, inout FieldWriter) -> Void
    /// Reads a value. The string is the name of the field in errors.
    let read: (inout CBORReader, String) throws(CBORError) -> Value
}

extension FieldType where Value: FixedWidthInteger & UnsignedInteger {
    /// Any number of the type.
    static var unsigned: FieldType {
        FieldType(
            write: { $1.writer.append(integer: $0) },
            read: { reader, _ throws(CBORError) in try reader.unsigned(Value.self) }
        )
    }

    /// A number in a range.
    static func number(in range: ClosedRange<Value>) -> FieldType {
        FieldType(
            write: unsigned.write,
            read: { reader, field throws(CBORError) in
                let raw = try reader.unsigned()
                guard let number = Value(exactly: raw), range.contains(number) else {
                    throw .badValue(raw, field: field)
                }
                return number
            }
        )
    }
}

extension FieldType<UInt64> {
    /// A number that grows with each event or state, at most ``MessageLimits/maximumGrowing``.
    static var growing: FieldType {
        FieldType(
            write: unsigned.write,
            read: { reader, _ throws(CBORError) in
                let offset = reader.offset
                let number = try reader.unsigned()
                guard number <= MessageLimits.maximumGrowing else {
                    throw .outOfRange("\(number)", maximum: "\(MessageLimits.maximumGrowing)", at: offset)
                }
                return number
            }
        )
    }
}

extension FieldType where Value: RawRepresentable, Value.RawValue: FixedWidthInteger & UnsignedInteger {
    /// A number from a table of codes.
    static var code: FieldType {
        FieldType(
            write: { $1.writer.append(integer: $0.rawValue) },
            read: { reader, field throws(CBORError) in
                let raw = try reader.unsigned()
                guard let value = Value.RawValue(exactly: raw).flatMap(Value.init(rawValue:)) else {
                    throw .badValue(raw, field: field)
                }
                return value
            }
        )
    }
}

extension FieldType<String> {
    /// Text whose length in bytes is in a range.
    static func text(_ length: ClosedRange<Int>) -> FieldType {
        FieldType(
            write: { $1.writer.append(text: $0) },
            read: { reader, field throws(CBORError) in
                let text = try reader.text()
                try length.check(text.utf8.count, of: field)
                return text
            }
        )
    }

    static var identifier: FieldType { text(1...MessageLimits.maximumIdentifier) }
    static var effectName: FieldType { text(1...MessageLimits.maximumEffectName) }

    /// Text for people. Senders cut text that is too long.
    static var sentence: FieldType {
        FieldType(
            write: { $1.writer.append(sentence: $0) },
            read: text(0...MessageLimits.maximumSentence).read
        )
    }
}

extension FieldType<[UInt8]> {
    /// A byte string whose length is in a range.
    ///
    /// - Parameters:
    ///   - length: The allowed numbers of bytes.
    ///   - orNone: Whether an empty byte string is allowed too.
    static func bytes(_ length: ClosedRange<Int>, orNone: Bool = false) -> FieldType {
        FieldType(
            write: { $1.writer.append(bytes: $0) },
            read: { reader, field throws(CBORError) in
                let bytes = try reader.byteString()
                if !bytes.isEmpty || !orNone { try length.check(bytes.count, of: field) }
                return [UInt8](bytes)
            }
        )
    }

    /// A byte string of exactly ``MessageLimits/maximumIdentity`` bytes.
    ///
    /// - Parameter orNone: Whether an empty byte string is allowed too.
    static func identity(orNone: Bool = false) -> FieldType {
        bytes(MessageLimits.maximumIdentity...MessageLimits.maximumIdentity, orNone: orNone)
    }

    /// An encoded value of the application, of any size.
    static var payload: FieldType {
        FieldType(
            write: { bytes, fields in bytes.withBytes { fields.append(payload: $0) } },
            read: { reader, _ throws(CBORError) in [UInt8](try reader.byteString()) }
        )
    }
}

extension FieldType<UnsafeRawBufferPointer> {
    /// An encoded value of the application, without a copy of its bytes.
    static var payload: FieldType {
        FieldType(
            write: { $1.append(payload: $0) },
            read: { reader, _ throws(CBORError) in try reader.byteString() }
        )
    }
}

extension FieldType<UnsafeRawBufferPointer> {
    /// A part of a payload, without a copy of its bytes.
    static var part: FieldType {
        FieldType(
            write: { $1.writer.append(bytes: $0) },
            read: { reader, field throws(CBORError) in
                let bytes = try reader.byteString()
                try (1...FrameLimits.maximumPart).check(bytes.count, of: field)
                return bytes
            }
        )
    }
}

extension FieldType where Value: FieldValue {
    /// A value that encodes and decodes itself.
    static var value: FieldType {
        FieldType(
            write: { $0.encode(into: &$1.writer) },
            read: { reader, _ throws(CBORError) in try Value(reading: &reader) }
        )
    }
}

extension FieldType {
    /// A list with a maximum number of elements.
    static func list<Element>(_ type: FieldType<Element>, maximum: Int) -> FieldType where Value == [Element] {
        FieldType(
            write: { elements, fields in
                fields.writer.append(arrayHeader: elements.count)
                for element in elements { type.write(element, &fields) }
            },
            read: { reader, field throws(CBORError) in
                let count = try reader.arrayHeader()
                try (0...maximum).check(count, of: field)
                var elements: [Element] = []
                reader.level += 1
                for _ in 0..<count { elements.append(try type.read(&reader, field)) }
                reader.level -= 1
                return elements
            }
        )
    }
}

extension ClosedRange<Int> {
    /// Checks the size of a field.
    ///
    /// - Throws: ``CBORError`` if the size is outside of this range.
    fileprivate func check(_ size: Int, of field: String) throws(CBORError) {
        guard size <= upperBound else { throw .fieldTooLarge(field, actual: size, maximum: upperBound) }
        guard size < lowerBound else { return }
        throw lowerBound == 1 ? .emptyField(field) : .fieldTooSmall(field, actual: size, minimum: lowerBound)
    }
}
