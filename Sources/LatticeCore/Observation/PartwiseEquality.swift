/// Whether observers of a value as a whole need not hear: what `==` says, unless the value is not equal to itself.
///
/// Most values are, and then this costs one comparison of a value with itself more than `==`, where they differ.
package func isUnchanged<T: Equatable>(_ shown: T, _ next: T) -> Bool {
    shown == next || (next != next && isSamePartwise(shown, next))
}

/// Whether two values that `==` tells apart differ only in parts that are not equal to themselves, as a NaN is not, and
/// that are the same bit by bit.
///
/// Looks into structs, enums, optionals and tuples. A collection that was made anew is another one if a NaN is in it:
/// looking for that would cost as much as the collection is long, whenever anything changes.
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

/// Whether two values of one type consist of the same parts. False for what does not show its parts as they are.
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
