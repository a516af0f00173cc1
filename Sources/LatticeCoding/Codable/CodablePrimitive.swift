/// The types for which each container of `Codable` has a function. This protocol allows one generic function for all of
/// them.
///
/// The generic function is inlined into the witnesses, so that each type is written and read as directly as by a
/// function of its own.
protocol CodablePrimitive: Codable, PrefersCoder, SendableMetatype {
    func write(to writer: inout CBORWriter)

    /// Reads a value.
    ///
    /// - Parameters:
    ///   - core: The decoder's state.
    ///   - offset: The position at which the value begins. Afterwards it is the position after the value.
    static func read(from core: DecoderCore, at offset: inout Int) throws -> Self

    /// A byte of the memory that the value keeps elsewhere; 0 if it keeps none.
    var distantByte: UInt8 { get }
}

extension CodablePrimitive {
    @inline(__always) var distantByte: UInt8 { 0 }
}

extension Bool: CodablePrimitive {
    @inline(__always) func write(to writer: inout CBORWriter) { writer.append(bool: self) }

    @inline(__always) static func read(from core: DecoderCore, at offset: inout Int) throws -> Bool {
        try core.bool(&offset)
    }
}

extension String: CodablePrimitive {
    @inline(__always) func write(to writer: inout CBORWriter) { writer.append(text: self) }

    @inline(__always) static func read(from core: DecoderCore, at offset: inout Int) throws -> String {
        try core.text(&offset)
    }

    // The first and the last byte, which may be in two cache lines.
    @inline(__always) var distantByte: UInt8 {
        utf8.withContiguousStorageIfAvailable { ($0.first ?? 0) | ($0.last ?? 0) } ?? 0
    }
}

extension Double: CodablePrimitive {
    @inline(__always) func write(to writer: inout CBORWriter) { writer.append(double: self) }

    @inline(__always) static func read(from core: DecoderCore, at offset: inout Int) throws -> Double {
        try core.double(&offset)
    }
}

extension Float: CodablePrimitive {
    @inline(__always) func write(to writer: inout CBORWriter) { writer.append(float: self) }

    @inline(__always) static func read(from core: DecoderCore, at offset: inout Int) throws -> Float {
        try core.float(&offset)
    }
}

extension CodablePrimitive where Self: FixedWidthInteger {
    @inline(__always) func write(to writer: inout CBORWriter) { writer.append(integer: self) }

    @inline(__always) static func read(from core: DecoderCore, at offset: inout Int) throws -> Self {
        bitWidth > 64 ? try core.wide(Self.self, &offset) : try core.integer(Self.self, &offset)
    }
}

extension Int: CodablePrimitive {}
extension Int8: CodablePrimitive {}
extension Int16: CodablePrimitive {}
extension Int32: CodablePrimitive {}
extension Int64: CodablePrimitive {}
extension Int128: CodablePrimitive {}
extension UInt: CodablePrimitive {}
extension UInt8: CodablePrimitive {}
extension UInt16: CodablePrimitive {}
extension UInt32: CodablePrimitive {}
extension UInt64: CodablePrimitive {}
extension UInt128: CodablePrimitive {}
