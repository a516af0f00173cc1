/// How a list becomes another one that is made of pieces of it: what stays where it is, and what is taken out and put
/// in.
@usableFromInline
struct ListPlan<Element: Identifiable> where Element.ID: StateKey {
    @usableFromInline
    enum Piece {
        /// Old elements.
        case kept(Range<Int>)
        /// An old element, which is this one now.
        case changed(Int, Element)
        case inserted(Element)

        /// Where its old elements were.
        @inlinable var old: Range<Int>? {
            switch self {
            case .kept(let range): range
            case .changed(let position, _): position..<(position + 1)
            case .inserted: nil
            }
        }
    }

    /// With more than this out of order, the list is built anew.
    @inlinable static var maximumDisorder: Int { 256 }

    @usableFromInline var pieces: [Piece] = []

    @inlinable
    init() {}

    /// - Returns: False if an element would occur twice; the list is of no use then.
    @inlinable
    func apply(to list: inout StateList<Element>) -> Bool {
        guard let stays = findWhatStays() else { return rebuild(&list) }
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

    /// Whether each piece stays where it is while others move around it: the pieces with most elements that are in
    /// their old order; nil if too many are out of it to find them.
    @inlinable
    func findWhatStays() -> [Bool]? {
        var stays = pieces.map { $0.old != nil }
        let old = pieces.indices.filter { stays[$0] }
        let ranges = old.compactMap { pieces[$0].old }
        if zip(ranges, ranges.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) { return stays }
        guard ranges.count <= Self.maximumDisorder else { return nil }
        // The heaviest increasing subsequence: for each range the best one that ends with it.
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
