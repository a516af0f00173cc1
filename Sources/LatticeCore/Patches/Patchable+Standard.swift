// What is sent as a whole.

extension Bool: Patchable {}
extension String: Patchable {}
extension Double: Patchable {}
extension Float: Patchable {}
extension Int: Patchable {}
extension Int8: Patchable {}
extension Int16: Patchable {}
extension Int32: Patchable {}
extension Int64: Patchable {}
extension UInt: Patchable {}
extension UInt8: Patchable {}
extension UInt16: Patchable {}
extension UInt32: Patchable {}
extension UInt64: Patchable {}

/// Sent as a whole: which elements have which places in its encoding only all of them say.
extension Set: Patchable where Element: Codable {}

/// Where it is an element or a value. A property of it is a field that may be missing.
extension Optional: Patchable where Wrapped: Codable & Equatable {
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard let old, let new = self else {
            if (old == nil) != (self == nil) { try patch.set(self) }
            return
        }
        try patch.encodeHere(from: old, to: new)
    }

    public mutating func apply(_ patch: inout PatchDecoder) throws {
        guard var value = take() else { throw patch.mismatch("what is to be changed is not there") }
        try patch.apply(to: &value)
        self = value
    }
}
