/// Where in a parent's state a collection of elements with identities is.
struct ElementsPath<Root, ID: Hashable & Sendable, Element: Sendable>: Sendable {
    /// How to find elements. Belongs to whoever asked for it, since it may remember where they were.
    struct Access {
        let count: (Root) -> Int
        /// Looks at an element; false if it is not there.
        let inspect: (Root, ID, (Element) -> Void) -> Bool
        /// Changes an element in place; false if it is not there.
        let modify: (inout Root, ID, (inout Element) -> Void) -> Bool
    }

    let makeAccess: @Sendable () -> Access

    /// Elements that know their identity, in a collection such as an array. No two may have the same.
    @_disfavoredOverload
    init<Elements: MutableCollection & RandomAccessCollection<Element> & Sendable>(
        _ path: any WritableKeyPath<Root, Elements> & Sendable
    ) where Element: Identifiable<ID> {
        let elements = StatePath(path)
        makeAccess = { Access(elements, .rememberingPositions()) { $0.count } }
    }

    /// Elements that are found by what identifies them.
    init<Elements: KeyedElements & Sendable>(_ path: any WritableKeyPath<Root, Elements> & Sendable)
    where Elements.Key == ID, Elements.Value == Element {
        let elements = StatePath(path)
        makeAccess = { Access(elements, Elements._makeFinder()) { $0.count } }
    }
}

extension ElementsPath.Access {
    /// - Parameter size: how many elements there are.
    fileprivate init<Elements>(
        _ elements: StatePath<Root, Elements>,
        _ finder: _ElementFinder<Elements, ID, Element>,
        size: @escaping (Elements) -> Int
    ) {
        count = { root in
            var result = 0
            _ = elements.inspect(root) { result = size($0) }
            return result
        }
        inspect = { root, id, body in
            var isThere = false
            _ = elements.inspect(root) { isThere = finder.look($0, id, body) }
            return isThere
        }
        modify = { root, id, body in
            var isThere = false
            _ = elements.modify(&root) { isThere = finder.change(&$0, id, body) }
            return isThere
        }
    }
}

/// Finds elements by their identity, and remembers where they were.
///
/// What it remembers is checked, so it may be outdated. Looking through the whole collection happens once for each time
/// that elements have moved or gone, not for each element.
final class ElementPositions<Elements: RandomAccessCollection> where Elements.Element: Identifiable {
    private var positions: [KeyIdentity<Elements.Element.ID>: Elements.Index] = [:]

    func find(_ id: Elements.Element.ID, in elements: Elements) -> Elements.Index? {
        let identity = KeyIdentity(id)
        if let position = positions[identity], elements.startIndex <= position, position < elements.endIndex,
            isSameKey(elements[position].id, id)
        {
            return position
        }
        positions.removeAll(keepingCapacity: true)
        for position in elements.indices {
            let identity = KeyIdentity(elements[position].id)
            if positions[identity] == nil { positions[identity] = position }
        }
        return positions[identity]
    }
}
