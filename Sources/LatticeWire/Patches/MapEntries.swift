import LatticeCoding

/// Goes over the entries of a map, whose keys have to ascend by their bytes.
///
/// The reader is the caller's, who reads the values from it.
struct MapEntries {
    /// Entries of the map.
    let count: Int
    private var left: Int
    /// The key that was read last.
    private var key: Range<Int>?
    /// Whether nobody has read its value yet.
    private var isBeforeValue = false

    /// Reads the head of a map.
    init(_ reader: inout CBORReader) throws(CBORError) {
        count = try reader.mapHeader()
        left = count
    }

    /// Reads the next key, whose value the caller reads then; nil behind the last entry.
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

    /// Moves on to the entry with a key above those that were looked for before.
    ///
    /// - Returns: where that entry begins, or the place for it. If it is there, the caller reads its value.
    mutating func find(
        _ wanted: Slice<UnsafeRawBufferPointer>,
        _ reader: inout CBORReader
    ) throws(CBORError) -> (start: Int, isThere: Bool) {
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

    /// Reads over the entries that were not looked for.
    mutating func finish(_ reader: inout CBORReader) throws(CBORError) {
        if isBeforeValue { try reader.skip() }
        isBeforeValue = false
        while try next(&reader) != nil { try reader.skip() }
    }

    /// Below, at or above 0, as the first key sorts before, is or sorts behind the second one.
    private static func compare(
        _ first: Slice<UnsafeRawBufferPointer>,
        _ second: Slice<UnsafeRawBufferPointer>
    ) -> Int {
        // No encoded value is the beginning of another one.
        for (left, right) in zip(first, second) where left != right { return left < right ? -1 : 1 }
        return first.count - second.count
    }
}
