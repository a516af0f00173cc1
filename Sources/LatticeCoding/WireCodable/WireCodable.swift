/// A value that encodes and decodes its own bytes, a few times faster than `Codable` does.
///
/// The coder uses this conformance for each value of the type, at the top level and inside other values. It codes a
/// type without this conformance by its `Codable` code. Both have to produce the same bytes, so that you can add or
/// remove the conformance without other changes:
///
/// ```swift
/// struct Card: WireCodable {
///     var id: Int
///     var title: String
///     var due: Date?
///
///     func encode(to writer: inout CBORWriter) throws {
///         try writer.encodeMap { map in
///             try map.encode(id, forKey: "id")
///             try map.encodeIfPresent(due, forKey: "due")
///             try map.encode(title, forKey: "title")
///         }
///     }
///
///     init(from reader: inout CBORReader) throws {
///         var map = try reader.decodeMap()
///         id = try map.decode(forKey: "id")
///         due = try map.decodeIfPresent(forKey: "due")
///         title = try map.decode(forKey: "title")
///         try reader.end(map)
///     }
/// }
/// ```
///
/// Keys may be read in any order. The fastest order is the one in which they are written: shorter keys first, and keys
/// of the same length by their bytes. Properties may be of any `Codable` type, such as `due` here. Properties that are
/// `WireCodable` themselves are coded fastest.
public protocol WireCodable: Codable {
    /// Appends the value.
    ///
    /// The method has to append exactly one value, and the same bytes for equal values.
    ///
    /// - Throws: An error if the value cannot be encoded.
    func encode(to writer: inout CBORWriter) throws

    /// Reads the value that comes next, and moves the reader after it.
    ///
    /// - Throws: `DecodingError` for bytes that are not such a value.
    init(from reader: inout CBORReader) throws
}

// Values that have only one form, and integers of up to 64 bits, are read here. All other forms are left to the general
// decoder, which knows each form and each error.

extension WireCodable where Self: FixedWidthInteger {
    /// Appends an integer in its shortest form.
    @inlinable @inline(__always)
    public func encode(to writer: inout CBORWriter) throws { writer.append(integer: self) }

    /// Reads an integer.
    /// - Throws: `DecodingError` for another value, and for an integer that this type cannot hold.
    @inlinable @inline(__always)
    public init(from reader: inout CBORReader) throws {
        if let number = reader.plainInteger(Self.self) { self = number } else { self = try reader.decodeByCode() }
    }
}

extension Int: WireCodable {}
extension Int8: WireCodable {}
extension Int16: WireCodable {}
extension Int32: WireCodable {}
extension Int64: WireCodable {}
extension UInt: WireCodable {}
extension UInt8: WireCodable {}
extension UInt16: WireCodable {}
extension UInt32: WireCodable {}
extension UInt64: WireCodable {}

extension Bool: WireCodable {
    /// Appends true or false.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(bool: self) }

    /// Reads true or false.
    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let bool = reader.plainBool() { self = bool } else { self = try reader.decodeByCode() }
    }
}

extension Double: WireCodable {
    /// Appends a number in the shortest of half, single and double precision that keeps the value.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(double: self) }

    /// Reads a number.
    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let number = reader.plainDouble() { self = number } else { self = try reader.decodeByCode() }
    }
}

extension Float: WireCodable {
    /// Appends a number in the shorter of half and single precision that keeps the value.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(float: self) }

    /// Reads a number.
    /// - Throws: `DecodingError` for another value, and for a number that single precision cannot hold.
    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

extension String: WireCodable {
    /// Appends a text string in UTF-8.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(text: self) }

    /// Reads a text string.
    /// - Throws: `DecodingError` for another value, and for bytes that are not UTF-8.
    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let text = reader.plainText() { self = text } else { self = try reader.decodeByCode() }
    }
}

/// nil is encoded as null.
extension Optional: WireCodable where Wrapped: WireCodable {
    /// Appends the value, or null.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws {
        if let self { try self.encode(to: &writer) } else { writer.encodeNil() }
    }

    /// Reads a value, or nil from null.
    @inlinable
    public init(from reader: inout CBORReader) throws {
        self = reader.decodeNil() ? nil : try Wrapped(from: &reader)
    }
}

/// An array of bytes is encoded as a byte string.
extension Array: WireCodable where Element: WireCodable {
    /// Appends an array, or a byte string if the elements are bytes.
    @inlinable
    public func encode(to writer: inout CBORWriter) throws {
        if Element.self == UInt8.self { return writer.append(bytes: unsafeBitCast(self, to: [UInt8].self)) }
        try writer.encodeArray(count: count) { writer in
            for index in indices { try writer.encodeElement(self[index], at: index) }
        }
    }

    /// Reads an array, or a byte string if the elements are bytes.
    @inlinable
    public init(from reader: inout CBORReader) throws {
        if Element.self == UInt8.self {
            self = unsafeBitCast(try reader.decodeByCode() as [UInt8], to: [Element].self)
        } else {
            self = try reader.decodeArray()
        }
    }
}

/// A dictionary is encoded as a map, whose keys ascend by their bytes.
extension Dictionary: WireCodable where Key == String, Value: WireCodable {
    /// Appends a map, whose keys ascend by their bytes.
    public func encode(to writer: inout CBORWriter) throws { try writer.encodeByCode(self) }

    /// Reads a map.
    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

/// A set is encoded as an array, whose elements ascend by their bytes.
extension Set: WireCodable where Element: WireCodable {
    /// Appends an array, whose elements ascend by their bytes.
    public func encode(to writer: inout CBORWriter) throws { try writer.encodeByCode(self) }

    /// Reads an array.
    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

/// Returns an error with the key of the value in its path.
@usableFromInline @inline(never)
func coded(_ error: any Error, under key: StaticString) -> any Error {
    CodingFailure.inside(error, [CBORCodingKey.text("\(key)")])
}

/// Returns an error with the index of the element in its path.
@usableFromInline @inline(never)
func coded(_ error: any Error, at index: Int) -> any Error {
    CodingFailure.inside(error, [CBORCodingKey.index(index)])
}
