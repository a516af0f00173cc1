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
    init<Elements: MutableCollection & RandomAccessCollection<Element> & Sendable>(
        _ path: any WritableKeyPath<Root, Elements> & Sendable
    ) where Element: Identifiable<ID> {
        let elements = StatePath(path)
        makeAccess = {
            let positions = ElementPositions<Elements>()
            return Access(elements) { elements, id in
                positions.find(id, in: elements)
            } look: { elements, position in
                elements[position]
            } change: { elements, position, change in
                change(&elements[position])
            }
        }
    }

    /// Elements that are found by what identifies them.
    init<Elements: KeyedElements & Sendable>(_ path: any WritableKeyPath<Root, Elements> & Sendable)
    where Elements.Key == ID, Elements.Value == Element {
        let elements = StatePath(path)
        makeAccess = {
            Access(
                count: { root in
                    var result = 0
                    _ = elements.inspect(root) { result = $0.count }
                    return result
                },
                inspect: { root, id, body in
                    var isThere = false
                    _ = elements.inspect(root) { elements in
                        guard let element = elements.element(under: id) else { return }
                        isThere = true
                        body(element)
                    }
                    return isThere
                },
                modify: { root, id, body in
                    var isThere = false
                    _ = elements.modify(&root) { isThere = $0.changeElement(under: id, body) }
                    return isThere
                }
            )
        }
    }
}

extension ElementsPath.Access {
    /// Of a collection that is in the root.
    fileprivate init<Elements: Collection>(
        _ elements: StatePath<Root, Elements>,
        find: @escaping (Elements, ID) -> Elements.Index?,
        look: @escaping (Elements, Elements.Index) -> Element,
        change: @escaping (inout Elements, Elements.Index, (inout Element) -> Void) -> Void
    ) {
        count = { root in
            var result = 0
            _ = elements.inspect(root) { result = $0.count }
            return result
        }
        inspect = { root, id, body in
            var position: Elements.Index?
            _ = elements.inspect(root) { elements in
                position = find(elements, id)
                if let position { body(look(elements, position)) }
            }
            return position != nil
        }
        modify = { root, id, body in
            var position: Elements.Index?
            _ = elements.modify(&root) { elements in
                position = find(elements, id)
                if let position { change(&elements, position, body) }
            }
            return position != nil
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
