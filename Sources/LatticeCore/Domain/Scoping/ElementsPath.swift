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
    init<Elements>(_ path: any WritableKeyPath<Root, Elements> & Sendable)
    where
        Elements: MutableCollection & RandomAccessCollection & Sendable,
        Elements.Element == Element,
        Element: Identifiable,
        Element.ID == ID
    {
        let elements = StatePath(path)
        makeAccess = {
            let positions = ElementPositions<Elements>()
            return Access(elements, count: { $0.count }) { elements, id, look in
                guard let position = positions.find(id, in: elements) else { return false }
                look(elements[position])
                return true
            } modify: { elements, id, change in
                guard let position = positions.find(id, in: elements) else { return false }
                change(&elements[position])
                return true
            }
        }
    }

    /// Elements under their identities, in a dictionary.
    init(_ path: any WritableKeyPath<Root, [ID: Element]> & Sendable) {
        let elements = StatePath(path)
        makeAccess = {
            Access(elements, count: { $0.count }) { elements, id, look in
                guard let position = elements.index(forKey: id) else { return false }
                look(elements.values[position])
                return true
            } modify: { elements, id, change in
                guard let position = elements.index(forKey: id) else { return false }
                change(&elements.values[position])
                return true
            }
        }
    }
}

extension ElementsPath.Access {
    /// Of a collection that is in the root.
    fileprivate init<Elements>(
        _ elements: StatePath<Root, Elements>,
        count: @escaping (Elements) -> Int,
        inspect: @escaping (Elements, ID, (Element) -> Void) -> Bool,
        modify: @escaping (inout Elements, ID, (inout Element) -> Void) -> Bool
    ) {
        self.count = { root in
            var result = 0
            _ = elements.inspect(root) { result = count($0) }
            return result
        }
        self.inspect = { root, id, look in
            var isPresent = false
            _ = elements.inspect(root) { isPresent = inspect($0, id, look) }
            return isPresent
        }
        self.modify = { root, id, change in
            var isPresent = false
            _ = elements.modify(&root) { isPresent = modify(&$0, id, change) }
            return isPresent
        }
    }
}

/// Finds elements by their identity, and remembers where they were.
///
/// What it remembers is checked, so it may be outdated. Looking through the whole collection happens once for each time
/// that elements have moved or gone, not for each element.
final class ElementPositions<Elements: RandomAccessCollection> where Elements.Element: Identifiable {
    private var positions: [Elements.Element.ID: Elements.Index] = [:]

    func find(_ id: Elements.Element.ID, in elements: Elements) -> Elements.Index? {
        if let position = positions[id], elements.startIndex <= position, position < elements.endIndex,
            elements[position].id == id
        {
            return position
        }
        positions.removeAll(keepingCapacity: true)
        for position in elements.indices where positions[elements[position].id] == nil {
            positions[elements[position].id] = position
        }
        return positions[id]
    }
}
