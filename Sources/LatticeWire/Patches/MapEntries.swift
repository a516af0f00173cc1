import LatticeCoding

/// Visits the entries of a map, whose keys have to ascend by their bytes.
///
/// The reader belongs to the caller, which reads the values from it.
struct MapEntries {
    /// The number of entries of the map.
    let count: Int
    private var left: Int
    /// The position of the key that was read last.
    private var key: Range<Int>?
    /// A Boolean value that indicates whether the value of that key has not been read yet.
    private var isBeforeValue = false

    /// Reads the head of a map.
    init(_ reader: inout CBORReader) throws(CBORError) {
        count = try reader.mapHeader()
        left = count
    }

    /// Reads the next key and returns its position, or nil after the last entry. The caller then reads the value.
    mutating func next(_ reader: inout CBORReader) throws(CBORError) -> Range<Int>? {
        guard left > 0 else { return nil }
        left -= 1
        let last = key
        let start = reader.offset
        try reader.skip()
        let found = start..<reader.offset
        key = found
        guard let last else { return found }
        let order = MapEntries.compare(reader.bytes[last], reader.bytes[found])
        guard order < 0 else { throw order == 0 ? .repeatedKey(at: start) : .unsortedKeys(at: start) }
        return found
    }

    /// Moves to the entry with a key, which must be above all keys that were searched before.
    ///
    /// - Returns: The position at which that entry begins, or at which it would begin. If the entry exists, the caller
    ///   reads its value.
    mutating func find(
        _ wanted: Slice<UnsafeRawBufferPointer>,
        _ reader: inout CBORReader
    ) throws(CBORError) -> (start: Int, isPresent: Bool) {
        while true {
            if !isBeforeValue {
                guard try next(&reader) != nil else { return (reader.offset, false) }
                isBeforeValue = true
            }
            guard let key else { return (reader.offset, false) }
            let order = MapEntries.compare(reader.bytes[key], wanted)
            if order > 0 { return (key.lowerBound, false) }
            isBeforeValue = false
            if order == 0 { return (key.lowerBound, true) }
            try reader.skip()
        }
    }

    /// Skips the remaining entries.
    mutating func finish(_ reader: inout CBORReader) throws(CBORError) {
        if isBeforeValue { try reader.skip() }
        isBeforeValue = false
        while try next(&reader) != nil { try reader.skip() }
    }

    /// Returns a number below, at or above 0 if the first key sorts before, equal to or after the second one.
    private static func compare(
        _ first: Slice<UnsafeRawBufferPointer>,
        _ second: Slice<UnsafeRawBufferPointer>
    ) -> Int {
        // No encoded value is the beginning of another one.
        for (left, right) in zip(first, second) where left != right { return left < right ? -1 : 1 }
        return first.count - second.count
    }
}
