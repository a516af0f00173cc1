/// A value that writes and reads its own bytes, a few times faster than `Codable` does it for it.
///
/// The coder asks a type for this wherever it comes to a value of it, at the top or inside of others; a type without it
/// is coded by its `Codable`. Both have to be the same bytes, so that a type can get it, or lose it, without that
/// anybody else has to know:
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
/// Keys may come in any order. Fastest is the one in which they are written: shorter ones first, and those of the same
/// length by their bytes. Properties may be of any `Codable` type, as `due` is here; those that are `WireCodable`
/// themselves are coded without a detour.
public protocol WireCodable: Codable {
    /// Appends the value.
    ///
    /// It has to append one value, and the same bytes for equal values.
    func encode(to writer: inout CBORWriter) throws

    /// Reads the value that comes next, and moves the reader behind it.
    ///
    /// - Throws: `DecodingError` for bytes that are none.
    init(from reader: inout CBORReader) throws
}

// Integers of up to 64 bits, and what else has one form only, are read here; whatever looks otherwise is left to the
// way that all types are read, which knows each form and each error.

extension WireCodable where Self: FixedWidthInteger {
    @inlinable @inline(__always)
    public func encode(to writer: inout CBORWriter) throws { writer.append(integer: self) }

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
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(bool: self) }

    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let bool = reader.plainBool() { self = bool } else { self = try reader.decodeByCode() }
    }
}

extension Double: WireCodable {
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(double: self) }

    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let number = reader.plainDouble() { self = number } else { self = try reader.decodeByCode() }
    }
}

extension Float: WireCodable {
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(float: self) }

    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

extension String: WireCodable {
    @inlinable
    public func encode(to writer: inout CBORWriter) throws { writer.append(text: self) }

    @inlinable
    public init(from reader: inout CBORReader) throws {
        if let text = reader.plainText() { self = text } else { self = try reader.decodeByCode() }
    }
}

/// Nothing is null.
extension Optional: WireCodable where Wrapped: WireCodable {
    @inlinable
    public func encode(to writer: inout CBORWriter) throws {
        if let self { try self.encode(to: &writer) } else { writer.encodeNil() }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws {
        self = reader.decodeNil() ? nil : try Wrapped(from: &reader)
    }
}

/// Numbers of one byte are a byte string.
extension Array: WireCodable where Element: WireCodable {
    @inlinable
    public func encode(to writer: inout CBORWriter) throws {
        if Element.self == UInt8.self { return writer.append(bytes: unsafeBitCast(self, to: [UInt8].self)) }
        try writer.encodeArray(count: count) { writer in
            for index in indices { try writer.encodeElement(self[index], at: index) }
        }
    }

    @inlinable
    public init(from reader: inout CBORReader) throws {
        if Element.self == UInt8.self {
            self = unsafeBitCast(try reader.decodeByCode() as [UInt8], to: [Element].self)
        } else {
            self = try reader.decodeArray()
        }
    }
}

/// A map, whose keys ascend by their bytes.
extension Dictionary: WireCodable where Key == String, Value: WireCodable {
    public func encode(to writer: inout CBORWriter) throws { try writer.encodeByCode(self) }

    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

/// An array, whose elements ascend by their bytes.
extension Set: WireCodable where Element: WireCodable {
    public func encode(to writer: inout CBORWriter) throws { try writer.encodeByCode(self) }

    public init(from reader: inout CBORReader) throws { self = try reader.decodeByCode() }
}

/// The error of a value that is under a key.
@usableFromInline @inline(never)
func coded(_ error: any Error, under key: StaticString) -> any Error {
    CodingFailure.inside(error, [CBORCodingKey.text("\(key)")])
}

/// The error of an element.
@usableFromInline @inline(never)
func coded(_ error: any Error, at index: Int) -> any Error {
    CodingFailure.inside(error, [CBORCodingKey.index(index)])
}
