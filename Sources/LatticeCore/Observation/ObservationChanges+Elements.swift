extension _ObservationChanges {
    /// Settles each element over the shown element that it corresponds to.
    /// - Returns: Whether the collection contains the same elements in the same order.
    mutating func settleElements<C: MutableCollection>(of new: inout C, over shown: C) -> Bool
    where C.Element: _ObservableParts {
        if isPlacing {
            placeElements(of: &new)
            return true
        }
        let shown = Array(shown)
        var isSame = true
        var index = new.startIndex
        var offset = 0
        while index != new.endIndex, offset < shown.count, new[index]._$isSameElement(as: shown[offset]) {
            isSame = settle(&new[index], over: shown[offset]) && isSame
            new.formIndex(after: &index)
            offset += 1
        }
        if index == new.endIndex, offset == shown.count { return isSame }
        return settleMoved(&new, from: index, over: shown, from: offset) && isSame
    }

    private func placeElements<C: MutableCollection>(of new: inout C) where C.Element: _ObservableParts {
        var names: Set<ObservableStateID> = []
        for index in new.indices {
            if case .place(let name) = new[index]._$elementKey, !names.insert(name).inserted {
                new[index]._$willModify()
            }
            Self.place(&new[index])
        }
    }

    /// Continues from the first element that does not correspond to the shown element at its position.
    private mutating func settleMoved<C: MutableCollection>(
        _ new: inout C,
        from start: C.Index,
        over shown: [C.Element],
        from offset: Int
    ) -> Bool where C.Element: _ObservableParts {
        let places = ElementPlaces(
            new: new[start...].map(\._$elementKey),
            shown: shown[offset...].map(\._$elementKey),
            taken: shown[..<offset].lazy.map(\._$elementKey)
        )
        var isSame = places.isSameOrder
        var index = start
        for place in places.places {
            switch place {
            case .shown(let number):
                isSame = settle(&new[index], over: shown[offset + number]) && isSame
            case .new(let needsName):
                if needsName { new[index]._$willModify() }
                Self.place(&new[index])
            }
            new.formIndex(after: &index)
        }
        return isSame
    }
}

/// The correspondence between the elements of a new collection and those of the shown one.
struct ElementPlaces: Equatable {
    enum Place: Equatable {
        /// The element takes the place of the shown element with this number.
        case shown(Int)
        /// The element gets a place of its own. It also gets a new identity if it is a copy of an element that has a
        /// place.
        case new(needsName: Bool)
    }

    /// The place of each new element.
    private(set) var places: [Place]
    /// Whether every element is at its old position, and none was added or removed.
    var isSameOrder: Bool {
        places.count == shownCount && places.enumerated().allSatisfy { $1 == .shown($0) }
    }

    private let shownCount: Int

    /// - Parameter taken: The keys of elements that already have their places.
    init(
        new: [_ObservableElementKey],
        shown: [_ObservableElementKey],
        taken: some Sequence<_ObservableElementKey> = []
    ) {
        shownCount = shown.count
        var numbers: [_ObservableElementKey: Int] = [:]
        var isFree = shown.map { _ in true }
        for (number, key) in shown.enumerated() where key != .position && numbers[key] == nil {
            numbers[key] = number
        }
        let found = new.map { key in
            numbers.removeValue(forKey: key).map { number in
                isFree[number] = false
                return number
            }
        }
        // Elements that are identified by their position come last, so that they take no place of another element.
        var names = Set(taken)
        names.formUnion(shown)
        places = []
        for (position, key) in new.enumerated() {
            if let number = found[position] {
                places.append(.shown(number))
            } else if !key.isID, position < shown.count, isFree[position], !shown[position].isID, !isCopy(key) {
                places.append(.shown(position))
            } else {
                places.append(.new(needsName: isCopy(key)))
            }
            names.insert(key)
        }

        func isCopy(_ key: _ObservableElementKey) -> Bool {
            if case .place = key { names.contains(key) } else { false }
        }
    }
}

extension _ObservableElementKey {
    fileprivate var isID: Bool {
        if case .id = self { true } else { false }
    }
}
