/// A description of a new list that consists of pieces of an old one. It determines which elements stay in place, and
/// which are removed and inserted.
@usableFromInline
struct ListPlan<Element: Identifiable> where Element.ID: StateKey {
    @usableFromInline
    enum Piece {
        /// A range of elements of the old list.
        case kept(Range<Int>)
        /// An element of the old list with a new value.
        case changed(Int, Element)
        /// A new element.
        case inserted(Element)

        /// The positions of the piece in the old list.
        @inlinable var old: Range<Int>? {
            switch self {
            case .kept(let range): range
            case .changed(let position, _): position..<(position + 1)
            case .inserted: nil
            }
        }
    }

    /// The maximum number of pieces in a changed order. If there are more, the list is rebuilt.
    @inlinable static var maximumDisorder: Int { 256 }

    @usableFromInline var pieces: [Piece] = []

    @inlinable
    init() {}

    /// Changes a list to the new one.
    /// - Returns: False if an element would occur twice. The list is then invalid and must be discarded.
    @inlinable
    func apply(to list: inout StateList<Element>) -> Bool {
        guard let stays = findStationaryPieces() else { return rebuild(&list) }
        let old = list
        let count = old.count
        removeOthers(than: stays, from: &list, count)
        var position = 0
        for (piece, stay) in zip(pieces, stays) {
            switch piece {
            case .kept(let range) where stay: position += range.count
            case .changed(_, let element) where stay:
                list.updateOrAppend(element)
                position += 1
            case .kept(let range):
                for oldPosition in range {
                    guard list.insert(old[oldPosition], at: position) else { return false }
                    position += 1
                }
            case .changed(_, let element), .inserted(let element):
                guard list.insert(element, at: position) else { return false }
                position += 1
            }
        }
        return position == list.count
    }

    @inlinable
    func rebuild(_ list: inout StateList<Element>) -> Bool {
        var next = StateList<Element>()
        for piece in pieces {
            switch piece {
            case .kept(let range):
                for position in range where !next.append(list[position]) { return false }
            case .changed(_, let element), .inserted(let element):
                guard next.append(element) else { return false }
            }
        }
        list = next
        return true
    }

    /// Determines for each piece whether it stays in place while others move around it. The pieces that stay are those
    /// with the most elements that are in their old order. The result is nil if too many pieces are out of order.
    @inlinable
    func findStationaryPieces() -> [Bool]? {
        var stays = pieces.map { $0.old != nil }
        let old = pieces.indices.filter { stays[$0] }
        let ranges = old.compactMap { pieces[$0].old }
        if zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) { return stays }
        guard ranges.count <= Self.maximumDisorder else { return nil }
        // The heaviest increasing subsequence: for each range, the best subsequence that ends with it.
        var best: [(weight: Int, previous: Int?)] = []
        for (index, range) in ranges.enumerated() {
            let previous = (0..<index).filter { ranges[$0].upperBound <= range.lowerBound }
                .max { best[$0].weight < best[$1].weight }
            best.append((range.count + (previous.map { best[$0].weight } ?? 0), previous))
        }
        stays = pieces.map { _ in false }
        var next = best.indices.max { best[$0].weight < best[$1].weight }
        while let index = next {
            stays[old[index]] = true
            next = best[index].previous
        }
        return stays
    }

    @inlinable
    func removeOthers(than stays: [Bool], from list: inout StateList<Element>, _ count: Int) {
        var end = count
        let kept = zip(pieces, stays).compactMap { piece, stays in stays ? piece.old : nil }
        for range in kept.reversed() {
            for position in (range.upperBound..<end).reversed() { list.remove(at: position) }
            end = range.lowerBound
        }
        for position in (0..<end).reversed() { list.remove(at: position) }
    }
}
