/// Returns whether two values have the same bits in memory. They are then the same value, for any type.
@inlinable
public func _$hasSameBits<T>(_ lhs: T, _ rhs: T) -> Bool {
    withUnsafeBytes(of: lhs) { lhs in
        withUnsafeBytes(of: rhs) { rhs in lhs.hasSameBits(as: rhs) }
    }
}

extension UnsafeRawBufferPointer {
    @inlinable
    func hasSameBits(as other: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= count {
            let left = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let right = other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            if left != right { return false }
            offset += 8
        }
        while offset < count {
            if self[offset] != other[offset] { return false }
            offset += 1
        }
        return true
    }
}
