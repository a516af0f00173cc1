public import LatticeCollections

/// Returns whether two states have the same identity. Their contents are not compared.
public func _$isIdentityEqual<T: ObservableState>(_ lhs: T, _ rhs: T) -> Bool {
    lhs._$id == rhs._$id
}

/// Returns whether two collections contain states with the same identities in the same order. The contents of the
/// states are not compared.
/// - Complexity: O(*n*), where *n* is the number of elements.
public func _$isIdentityEqual<C: Collection>(_ lhs: C, _ rhs: C) -> Bool where C.Element: ObservableState {
    lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { _$isIdentityEqual($0, $1) }
}

/// Returns false, because a string has no identity. This overload exists because a string is a collection, and
/// iterating over it would be useless.
public func _$isIdentityEqual(_ lhs: String, _ rhs: String) -> Bool {
    false
}

/// Returns whether two values are observable states with the same identity. Other values have no identity.
@_disfavoredOverload
public func _$isIdentityEqual<T>(_ lhs: T, _ rhs: T) -> Bool {
    guard let lhs = lhs as? any ObservableState, let rhs = rhs as? any ObservableState else { return false }
    return lhs._$id == rhs._$id
}

/// Does nothing, because a plain value has no identity.
@_disfavoredOverload
public func _$willModify<T>(_ value: inout T) {}

/// Gives `value` a new identity.
public func _$willModify<T: ObservableState>(_ value: inout T) {
    value._$willModify()
}

/// Returns whether two values are unchanged: they have the same bits, or they are equal according to `==`. The bits are
/// compared first, because this is cheap if the values share their storage, and because a NaN that stays a NaN has not
/// changed.
///
/// A value that is not equal to itself contains a NaN or something similar. In that case its parts are compared in the
/// same way.
@inlinable
public func _$isSameValue<T: Equatable>(_ lhs: T, _ rhs: T) -> Bool {
    _$hasSameBits(lhs, rhs) || lhs == rhs || (rhs != rhs && isSamePartwise(lhs, rhs))
}

/// Returns whether two values are unchanged. Values that turn out to be `Equatable` are compared like such values, and
/// others by their bits.
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
