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
