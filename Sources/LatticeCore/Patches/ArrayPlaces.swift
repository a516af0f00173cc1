/// Where in a state plain arrays are: its properties, those of the structs in it, or the state itself. Elements of
/// collections and payloads of enums have no place of their own.
///
/// Who keeps an old state, to compare the next one with it, shares its arrays, so that each change copies the whole of
/// one. With ``renew(_:as:)`` the old state has arrays of its own, in which what has changed is changed too: of 100,000
/// elements with texts a change took 0.3 ms in place of 4.6 (`latticectl bench state --only array`).
package struct ArrayPlaces<State>: Sendable {
    private let places: [ArrayPlace]

    package init() {
        places = ArrayPlace.places(in: State.self)
    }

    package var isEmpty: Bool { places.isEmpty }

    /// Makes an old state the same as a new one. Its arrays keep their storage, where nobody else has it, and take over
    /// what differs.
    /// - Complexity: O(*n*) comparisons of bits, where *n* is the number of elements.
    package func renew(_ old: inout State, as new: State) {
        var next = new
        withUnsafeMutableBytes(of: &old) { old in
            withUnsafeMutableBytes(of: &next) { next in
                // Without an address it has no places.
                guard let old = old.baseAddress, let next = next.baseAddress else { return }
                for place in places { place.renew(old, next) }
            }
        }
        old = next
    }
}

/// An array in a value of some type, so many bytes behind the beginning of the value.
private struct ArrayPlace: @unchecked Sendable {
    // Unchecked: of the type nothing is used but its layout, by whoever has the only access to the two values.

    let offset: Int
    let type: any RenewableArray.Type

    static func places(in type: Any.Type) -> [ArrayPlace] {
        if let type = type as? any RenewableArray.Type { return [ArrayPlace(offset: 0, type: type)] }
        return StoredProperties(of: type).flatMap { property in
            places(in: property.type).map { ArrayPlace(offset: property.offset + $0.offset, type: $0.type) }
        }
    }

    /// Replaces the array of the new value by that of the old one, made the same. The old value has none then.
    func renew(_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) {
        type.renew(old + offset, new + offset)
    }
}

private protocol RenewableArray {
    static func renew(_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer)
}

extension Array: RenewableArray {
    fileprivate static func renew(_ old: UnsafeMutableRawPointer, _ new: UnsafeMutableRawPointer) {
        let old = old.assumingMemoryBound(to: Self.self)
        let new = new.assumingMemoryBound(to: Self.self)
        var renewed: Self = []
        swap(&renewed, &old.pointee)
        renewed.become(new.pointee)
        new.pointee = renewed
    }

    /// Becomes the same as another array; it keeps its storage and changes in it what differs. What has lost half of
    /// its elements does not keep their room.
    private mutating func become(_ other: Self) {
        guard !hasStorage(of: other) else { return }
        guard other.count >= count / 2, let differing = positions(differingFrom: other) else {
            self = other
            return
        }
        for position in differing { self[position] = other[position] }
        if other.count > count { append(contentsOf: other[count...]) }
        if other.count < count { removeLast(count - other.count) }
    }

    /// Whether the two share all of their elements, so that none has to be looked at.
    @inlinable
    func hasStorage(of other: Self) -> Bool {
        withUnsafeBytes { mine in
            other.withUnsafeBytes { mine.baseAddress == $0.baseAddress && mine.count == $0.count }
        }
    }

    /// The positions of both at which they have not the same bits; nil where there are so many that a copy is as good.
    private func positions(differingFrom other: Self) -> [Int]? {
        let count = Swift.min(count, other.count)
        let (size, stride) = (MemoryLayout<Element>.size, MemoryLayout<Element>.stride)
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { others in
                var positions: [Int] = []
                var position = 0
                while position < count {
                    // As bytes: an element would be copied to be looked at.
                    let rest = position * stride..<count * stride
                    position += mine.countOfSameBytes(as: others, in: rest) / stride
                    guard position < count else { break }
                    let bytes = position * stride..<position * stride + size
                    if !UnsafeRawBufferPointer(rebasing: mine[bytes])
                        .hasSameBits(as: UnsafeRawBufferPointer(rebasing: others[bytes]))
                    {
                        guard positions.count < count / 4 else { return nil }
                        positions.append(position)
                    }
                    position += 1
                }
                return positions
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// How many bytes are the same from the beginning of a range on, in whole words.
    @usableFromInline
    func countOfSameBytes(as other: UnsafeRawBufferPointer, in range: Range<Int>) -> Int {
        guard let mine = baseAddress, let others = other.baseAddress else { return 0 }
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound,
            mine.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                == others.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        {
            offset += 8
        }
        return offset - range.lowerBound
    }
}
