import LatticeCollections

/// The position of a collection of elements with identities in a parent's state.
struct ElementsPath<Root, ID: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The functions that find elements. They belong to one caller, because they can remember positions.
    struct Access {
        /// Returns the number of elements.
        let count: (Root) -> Int
        /// Calls the closure with an element. Returns false if the element does not exist.
        let inspect: (Root, ID, (Element) -> Void) -> Bool
        /// Changes an element in place. Returns false if the element does not exist.
        let modify: (inout Root, ID, (inout Element) -> Void) -> Bool
    }

    let makeAccess: @Sendable () -> Access

    /// Creates a path to `Identifiable` elements in a collection such as an array. No two may have the same identity.
    @_disfavoredOverload
    init<Elements: MutableCollection & RandomAccessCollection<Element> & Sendable>(
        _ path: any WritableKeyPath<Root, Elements> & Sendable
    ) where Element: Identifiable<ID> {
        let elements = StatePath(path)
        makeAccess = { Access(elements, .rememberingPositions()) { $0.count } }
    }

    /// Creates a path to elements that are found by a key.
    init<Elements: KeyedElements & Sendable>(_ path: any WritableKeyPath<Root, Elements> & Sendable)
    where Elements.Key == ID, Elements.Value == Element {
        let elements = StatePath(path)
        makeAccess = { Access(elements, Elements._makeFinder()) { $0.count } }
    }
}

extension ElementsPath.Access {
    /// - Parameter size: Returns the number of elements.
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

/// Finds elements by their identity, and remembers their positions.
///
/// The remembered positions are checked, so they may be outdated. The whole collection is searched once each time that
/// elements have been moved or removed, not once for each element.
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
