/// A collection whose elements have no order of their own, and are written as an array all the same: sorted by their
/// encoded bytes, so that equal values are equal bytes.
protocol UnorderedElements {
    /// How many values in a row are sorted as one.
    static var valuesPerElement: Int { get }
}

extension Set: UnorderedElements {
    static var valuesPerElement: Int { 1 }
}

/// With keys that are neither text nor integers: keys and values in turn. With others it is a map, and never asks for
/// an array.
extension Dictionary: UnorderedElements {
    static var valuesPerElement: Int { 2 }
}

extension EncoderCore {
    /// Sorts what an array of unordered elements has got. Nothing is known of them but their bytes, so these are read
    /// over once.
    func sortElements(_ frame: EncoderFrame) {
        let start = frame.start + 1
        let sorted = writer.bytes.withUnsafeBytes { bytes -> [UInt8]? in
            guard let ranges = elements(bytes, from: start, valuesPerElement: frame.valuesPerElement) else {
                return nil
            }
            let isSorted = zip(ranges, ranges.dropFirst()).allSatisfy { !precedes($1, $0, bytes) }
            guard !isSorted else { return nil }
            var sorted: [UInt8] = []
            sorted.reserveCapacity(bytes.count - start)
            for range in ranges.sorted(by: { precedes($0, $1, bytes) }) {
                sorted.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
            return sorted
        }
        guard let sorted else { return }
        writer.bytes.replaceSubrange(start..., with: sorted)
    }

    /// Where each element lies. Nil for what was not written by this encoder, which always is well-formed.
    private func elements(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        valuesPerElement: Int
    ) -> [Range<Int>]? {
        var reader = CBORReader(bytes, offset: start)
        var ranges: [Range<Int>] = []
        while !reader.isAtEnd {
            let first = reader.offset
            for _ in 0..<valuesPerElement {
                guard (try? reader.skip(counting: steps)) != nil else { return nil }
            }
            ranges.append(first..<reader.offset)
        }
        return ranges
    }

    /// No encoded value is the beginning of another, so in pairs the key decides.
    private func precedes(_ first: Range<Int>, _ second: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        steps.step()
        return bytes[first].lexicographicallyPrecedes(bytes[second])
    }
}
