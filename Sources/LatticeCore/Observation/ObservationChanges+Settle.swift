// Which of these is called is decided where a state is declared, by the type of each property. The order of preference
// is: parts that are observed by themselves, collections of such, what can be compared, everything else.

extension _ObservationChanges {
    /// Puts a property in the place of the one that is shown.
    /// - Returns: Whether it is as it was, apart from parts that have observers of their own and have been noted.
    @_disfavoredOverload
    public mutating func settle<T>(_ new: inout T, over shown: T) -> Bool {
        // Inside a generic type, a type that could be compared, or has parts, is known only now.
        if let settled = settleParts(of: &new, over: shown) { return settled }
        return isPlacing || _$isSameValue(new, shown)
    }

    @_disfavoredOverload
    @inlinable
    public mutating func settle<T: Equatable>(_ new: inout T, over shown: T) -> Bool {
        isPlacing || _$isSameValue(new, shown)
    }

    @inlinable
    public mutating func settle<T: _ObservableParts>(_ new: inout T, over shown: T) -> Bool {
        // Equal to the last bit: observers included, so there is nothing to take over either.
        if !isPlacing, _$hasSameBits(new, shown) { return true }
        depth += 1
        defer { depth -= 1 }
        return new._$takePlace(of: shown, &self)
    }

    @inlinable
    public mutating func settle<T: _ObservableParts & Equatable>(_ new: inout T, over shown: T) -> Bool {
        if !isPlacing, _$hasSameBits(new, shown) { return true }
        depth += 1
        defer { depth -= 1 }
        return new._$takePlace(of: shown, &self)
    }

    @_disfavoredOverload
    public mutating func settle<C: MutableCollection>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    @_disfavoredOverload
    public mutating func settle<C: MutableCollection & Equatable>(_ new: inout C, over shown: C) -> Bool
    where C.Element: ObservableState {
        settleElements(of: &new, over: shown)
    }

    /// Nil if `T` has no parts.
    private mutating func settleParts<T>(of new: inout T, over shown: T) -> Bool? {
        guard let type = T.self as? any _ObservableParts.Type else { return nil }
        return settle(&new, over: shown, as: type)
    }

    private mutating func settle<T, Part: _ObservableParts>(
        _ new: inout T,
        over shown: T,
        as type: Part.Type
    ) -> Bool? {
        guard var part = new as? Part, let shownPart = shown as? Part else { return nil }
        let settled = settle(&part, over: shownPart)
        guard let result = part as? T else { return nil }
        new = result
        return settled
    }
}
