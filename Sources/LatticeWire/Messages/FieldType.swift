/// What a field may hold, and how that is written and read.
package struct FieldType<Value> {
    let write: (Value, inout FieldWriter) -> Void
    /// With the name that errors call the field by.
    let read: (inout CBORReader, String) throws(WireError) -> Value
}

extension FieldType where Value: FixedWidthInteger & UnsignedInteger {
    /// Any number of the type.
    static var unsigned: FieldType {
        FieldType(
            write: { $1.writer.append(integer: $0) },
            read: { reader, _ throws(WireError) in try reader.unsigned(Value.self) }
        )
    }

    /// A number with a lowest and a highest value.
    static func number(in range: ClosedRange<Value>) -> FieldType {
        FieldType(
            write: unsigned.write,
            read: { reader, field throws(WireError) in
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
    /// A number that grows with each event or state.
    static var growing: FieldType {
        FieldType(
            write: unsigned.write,
            read: { reader, _ throws(WireError) in
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

extension FieldType where Value: RawRepresentable, Value.RawValue == UInt16 {
    /// A number out of a table that is open.
    static var code: FieldType {
        FieldType(
            write: { $1.writer.append(integer: $0.rawValue) },
            read: { reader, field throws(WireError) in
                let raw = try reader.unsigned(UInt16.self)
                guard let value = Value(rawValue: raw) else { throw .badValue(UInt64(raw), field: field) }
                return value
            }
        )
    }
}

extension FieldType where Value: RawRepresentable, Value.RawValue == UInt8 {
    /// A number out of a table.
    static var choice: FieldType {
        FieldType(
            write: { $1.writer.append(integer: $0.rawValue) },
            read: { reader, field throws(WireError) in
                let raw = try reader.unsigned()
                guard let narrow = UInt8(exactly: raw), let value = Value(rawValue: narrow) else {
                    throw .badValue(raw, field: field)
                }
                return value
            }
        )
    }
}

extension FieldType<String> {
    /// Text of so many bytes.
    static func text(_ length: ClosedRange<Int>) -> FieldType {
        FieldType(
            write: { $1.writer.append(text: $0) },
            read: { reader, field throws(WireError) in
                let text = try reader.text()
                let count = text.utf8.count
                guard count <= length.upperBound else {
                    throw .fieldTooLarge(field, actual: count, maximum: length.upperBound)
                }
                guard count >= length.lowerBound else { throw .emptyField(field) }
                return text
            }
        )
    }

    static var identifier: FieldType { text(1...MessageLimits.maximumIdentifier) }

    /// Text for people. Senders cut it.
    static var sentence: FieldType {
        FieldType(
            write: { $1.writer.append(sentence: $0) },
            read: text(0...MessageLimits.maximumSentence).read
        )
    }
}

extension FieldType<[UInt8]> {
    /// Bytes, so many at most.
    static func bytes(maximum: Int) -> FieldType {
        FieldType(
            write: { $1.writer.append(bytes: $0) },
            read: { reader, field throws(WireError) in
                let bytes = try reader.byteString()
                guard bytes.count <= maximum else {
                    throw .fieldTooLarge(field, actual: bytes.count, maximum: maximum)
                }
                return [UInt8](bytes)
            }
        )
    }

    /// The name of a build: at least one byte.
    static var build: FieldType {
        let type = bytes(maximum: MessageLimits.maximumBuild)
        return FieldType(
            write: type.write,
            read: { reader, field throws(WireError) in
                let bytes = try type.read(&reader, field)
                guard !bytes.isEmpty else { throw .emptyField(field) }
                return bytes
            }
        )
    }

    /// Exactly ``MessageLimits/maximumIdentity`` bytes.
    static var identity: FieldType { identity(mayBeEmpty: false) }
    /// The same, or none.
    static var identityOrNone: FieldType { identity(mayBeEmpty: true) }

    private static func identity(mayBeEmpty: Bool) -> FieldType {
        let size = MessageLimits.maximumIdentity
        let type = bytes(maximum: size)
        return FieldType(
            write: type.write,
            read: { reader, field throws(WireError) in
                let bytes = try type.read(&reader, field)
                guard bytes.count == size || (bytes.isEmpty && mayBeEmpty) else {
                    throw .fieldTooSmall(field, actual: bytes.count, minimum: size)
                }
                return bytes
            }
        )
    }

    /// An encoded value of the application, of any size.
    static var payload: FieldType {
        FieldType(
            write: { bytes, fields in bytes.withBytes { fields.append(payload: $0) } },
            read: { reader, _ throws(WireError) in [UInt8](try reader.byteString()) }
        )
    }
}

extension FieldType<UnsafeRawBufferPointer> {
    /// The same, where it lies.
    static var payload: FieldType {
        FieldType(
            write: { $1.append(payload: $0) },
            read: { reader, _ throws(WireError) in try reader.byteString() }
        )
    }
}

extension FieldType {
    /// A map inside a message.
    static func map() -> FieldType where Value: FieldedBody {
        FieldType(
            write: { $0.encode(into: &$1.writer) },
            read: { reader, _ throws(WireError) in try Value(reading: &reader) }
        )
    }

    /// So many elements at most.
    static func list<Element>(_ type: FieldType<Element>, maximum: Int) -> FieldType where Value == [Element] {
        FieldType(
            write: { elements, fields in
                fields.writer.append(arrayHeader: elements.count)
                for element in elements { type.write(element, &fields) }
            },
            read: { reader, field throws(WireError) in
                let count = try reader.arrayHeader()
                guard count <= maximum else { throw .fieldTooLarge(field, actual: count, maximum: maximum) }
                var elements: [Element] = []
                reader.level += 1
                for _ in 0..<count { elements.append(try type.read(&reader, field)) }
                reader.level -= 1
                return elements
            }
        )
    }
}
