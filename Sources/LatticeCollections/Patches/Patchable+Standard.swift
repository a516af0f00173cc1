// Types that are sent as a whole.

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

/// A set is sent as a whole, because the order of its elements in the encoding depends on all of them.
extension Set: Patchable where Element: Codable {}

/// This conformance is used for elements and values. An optional property is a field that can be missing.
extension Optional: Patchable where Wrapped: Codable & Equatable {
    /// Encodes the change of the wrapped value, or the whole value if it becomes nil or stops being nil.
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard let old, let new = self else {
            if (old == nil) != (self == nil) { try patch.set(self) }
            return
        }
        try patch.encodeHere(from: old, to: new)
    }

    /// Applies the change of the wrapped value.
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        guard var value = take() else { throw patch.mismatch("there is no value to change") }
        try patch.apply(to: &value)
        self = value
    }
}
