import LatticeCollections

/// Returns whether observers of a whole value need no notification: the values are equal according to `==`, or the new
/// value is not equal to itself and differs from the old one in nothing else.
///
/// If the values differ, this costs one comparison of a value with itself in addition to `==`.
package func isUnchanged<T: Equatable>(_ shown: T, _ next: T) -> Bool {
    shown == next || (next != next && isSamePartwise(shown, next))
}

/// Returns whether two values that are not equal differ only in parts that are not equal to themselves, such as a NaN,
/// and that have the same bits.
///
/// The comparison looks into structs, enums, optionals and tuples. A collection that was rebuilt and contains a NaN
/// counts as changed. Comparing its elements would take time proportional to its length, whenever anything changes.
@usableFromInline
func isSamePartwise(_ lhs: Any, _ rhs: Any) -> Bool {
    func areSame<T>(_ lhs: T) -> Bool {
        guard let rhs = rhs as? T else { return false }
        if _$hasSameBits(lhs, rhs) { return true }
        if let value = lhs as? any Equatable {
            if value.isEqual(to: rhs) { return true }
            if (rhs as? any Equatable)?.isEqual(to: rhs) == true { return false }
        }
        return haveSameParts(lhs, rhs)
    }
    return _openExistential(lhs, do: areSame)
}

/// Returns whether two values of one type consist of the same parts. The result is false for a type with a custom
/// mirror.
private func haveSameParts<T>(_ lhs: T, _ rhs: T) -> Bool {
    guard !(lhs is any CustomReflectable) else { return false }
    let (left, right) = (Mirror(reflecting: lhs), Mirror(reflecting: rhs))
    switch left.displayStyle {
    case .struct, .enum, .optional, .tuple: break
    default: return false
    }
    guard !left.children.isEmpty, left.children.count == right.children.count else { return false }
    return zip(left.children, right.children).allSatisfy { left, right in
        left.label == right.label && isSamePartwise(left.value, right.value)
    }
}
