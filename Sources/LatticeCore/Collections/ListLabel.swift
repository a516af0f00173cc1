/// Where an element of a ``StateList`` is among the others: a number between those of its neighbours.
///
/// A new last element gets one that is ``step`` higher than the last, and one between two others the middle. Labels
/// never leave the process; what two lists have in common is told by positions.
@frozen
@usableFromInline
struct ListLabel: _TreeKey, Hashable {
    /// So much room is between elements that are appended: enough to halve 64 times.
    @inlinable static var step: UInt128 { 1 << 64 }
    /// That of the only element: as far from the one end as from the other.
    @inlinable static var first: UInt128 { 1 << 127 }

    @usableFromInline let number: UInt128

    @inlinable
    init(_ number: UInt128) { self.number = number }

    @inlinable
    static func _precedes(_ first: ListLabel, _ second: ListLabel) -> Bool { first.number < second.number }

    /// A label between two others; nil if there is no room.
    @inlinable
    static func between(_ low: ListLabel?, _ high: ListLabel?) -> ListLabel? {
        switch (low?.number, high?.number) {
        case (nil, nil): ListLabel(first)
        case (let low?, nil): low <= .max - step ? ListLabel(low + step) : nil
        case (nil, let high?): high >= step ? ListLabel(high - step) : nil
        case (let low?, let high?): high - low > 1 ? ListLabel(low + (high - low) / 2) : nil
        }
    }
}

extension StateList {
    /// So many elements at least get new labels where there is no room for another one.
    @usableFromInline static var crowd: Int { 64 }

    @inlinable
    mutating func makeLabel(at position: Int) -> ListLabel {
        let low = position > 0 ? elements[offset: position - 1].key : nil
        let high = position < count ? elements[offset: position].key : nil
        return ListLabel.between(low, high) ?? makeRoom(at: position)
    }

    /// Spreads the elements around a position, more of them the more crowded it is there.
    /// - Complexity: O(log *n*) amortised: so much room takes many insertions to fill.
    @usableFromInline
    mutating func makeRoom(at position: Int) -> ListLabel {
        var width = Self.crowd
        while true {
            let range = Swift.max(0, position - width)..<Swift.min(count, position + width)
            let low = range.lowerBound > 0 ? elements[offset: range.lowerBound - 1].key.number : 0
            let high = range.upperBound < count ? elements[offset: range.upperBound].key.number : .max
            let step = (high - low) / UInt128(range.count + 2)
            guard step > 1 << 32 || range.count == count else {
                width *= 2
                continue
            }
            let crowded = range.map { elements[offset: $0] }
            for (label, _) in crowded { elements.remove(label) }
            var number = low
            var free = number
            for (offset, element) in zip(range, crowded) {
                number += step
                if offset == position {
                    free = number
                    number += step
                }
                elements.updateValue(element.value, forKey: ListLabel(number))
                labels.updateValue(ListLabel(number), forKey: element.value.id)
            }
            return ListLabel(position == range.upperBound ? number + step : free)
        }
    }
}
