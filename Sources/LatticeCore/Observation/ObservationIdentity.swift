/// Whether the two are the same state, whatever they contain.
public func _$isIdentityEqual<T: ObservableState>(_ lhs: T, _ rhs: T) -> Bool {
    lhs._$id == rhs._$id
}

/// Whether the two hold the same states in the same order, whatever those contain.
/// - Complexity: O(*n*), where *n* is the number of elements.
public func _$isIdentityEqual<C: Collection>(_ lhs: C, _ rhs: C) -> Bool where C.Element: ObservableState {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { _$isIdentityEqual($0, $1) }
}

/// A text has no identity. Kept apart because it is a collection, which would be walked in vain.
public func _$isIdentityEqual(_ lhs: String, _ rhs: String) -> Bool {
    false
}

/// What is not observed by itself has no identity.
@_disfavoredOverload
public func _$isIdentityEqual<T>(_ lhs: T, _ rhs: T) -> Bool {
    guard let lhs = lhs as? any ObservableState, let rhs = rhs as? any ObservableState else { return false }
    return lhs._$id == rhs._$id
}

/// Nothing to do: a plain value has no name.
@_disfavoredOverload
public func _$willModify<T>(_ value: inout T) {}

/// Gives `value` a name of its own.
public func _$willModify<T: ObservableState>(_ value: inout T) {
    value._$willModify()
}

/// Whether nothing that the two contain differs: their bits, or what `==` says. Bits first, because that is cheap where
/// both share their storage, and because a NaN that stays a NaN has not changed.
///
/// A value that is not equal to itself has a NaN in it, or something like it: then its parts are compared in the same
/// way.
@inlinable
public func _$isSameValue<T: Equatable>(_ lhs: T, _ rhs: T) -> Bool {
    _$hasSameBits(lhs, rhs) || lhs == rhs || (rhs != rhs && isSamePartwise(lhs, rhs))
}

/// As for values that can be compared, if that turns out to be so; others are the same if their bits are.
@_disfavoredOverload
public func _$isSameValue<T>(_ lhs: T, _ rhs: T) -> Bool {
    if _$hasSameBits(lhs, rhs) { return true }
    guard let lhs = lhs as? any Equatable else { return false }
    return lhs.isEqual(to: rhs) || (!lhs.isEqual(to: lhs) && isSamePartwise(lhs, rhs))
}

extension Equatable {
    func isEqual<T>(to other: T) -> Bool {
        self == other as? Self
    }
}

/// Whether two values are the same in memory: then they are the same value, whatever their type.
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
