/// The position of an element of a ``StateList`` among the others, as a number between the numbers of its neighbours.
///
/// A new last element gets a number that is ``step`` higher than the last one. An element between two others gets the
/// number in the middle. Labels never leave the process: patches describe positions instead.
@frozen
@usableFromInline
struct ListLabel: _TreeKey, Hashable {
    /// The distance between elements that are appended. It can be halved 64 times.
    @inlinable static var step: UInt128 { 1 << 64 }
    /// The label of the first element of an empty list, in the middle of the range.
    @inlinable static var first: UInt128 { 1 << 127 }

    @usableFromInline let number: UInt128

    @inlinable
    init(_ number: UInt128) { self.number = number }

    @inlinable
    static func _precedes(_ first: ListLabel, _ second: ListLabel) -> Bool { first.number < second.number }

    /// Returns a label between two others, or nil if there is no number between them.
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
    /// The number of elements to each side of a full gap that receive new labels at first.
    @usableFromInline static var initialRelabelingWidth: Int { 64 }

    @inlinable
    mutating func makeLabel(at position: Int) -> ListLabel {
        let low = position > 0 ? elements[offset: position - 1].key : nil
        let high = position < count ? elements[offset: position].key : nil
        return ListLabel.between(low, high) ?? makeRoom(at: position)
    }

    /// Spreads the labels around a position, over a wider range the more crowded the labels are.
    /// - Complexity: O(log *n*) amortised, because it takes many insertions to fill the new gaps.
    @usableFromInline
    mutating func makeRoom(at position: Int) -> ListLabel {
        var width = Self.initialRelabelingWidth
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
