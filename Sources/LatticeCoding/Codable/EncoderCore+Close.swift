// How a container ends: children into their places, entries into their order, the count into the head.

extension EncoderCore {
    func closeTop() {
        guard let last = frames.popLast() else { return }
        var frame = last
        if frame.hasChildren { splice(&frame) }
        if frame.isMap {
            if frame.count > 1 { sortEntries(&frame) }
            entries.removeLast(entries.count - frame.entriesBase)
        } else if frame.valuesPerElement > 0, frame.count > 1 {
            sortElements(frame)
        }
        writeHead(frame)
        topSerial = frames.last?.serial ?? 0
        let pathCount = frame.ownsKey ? frame.pathCount - 1 : frame.pathCount
        if path.count > pathCount { path.removeLast(path.count - pathCount) }
    }

    private func writeHead(_ frame: EncoderFrame) {
        let major: UInt8 = frame.isMap ? 0xa0 : 0x80
        if frame.count < 24 {
            writer.bytes[frame.start] = major | UInt8(frame.count)
        } else {
            var head = CBORWriter()
            head.head(major, UInt64(frame.count))
            writer.bytes.replaceSubrange(frame.start..<(frame.start + 1), with: head.bytes)
        }
    }

    /// Puts what was written into buffers of its own where it belongs.
    private func splice(_ frame: inout EncoderFrame) {
        let serial = frame.serial
        var spliced: [UInt8] = []
        var cursor = frame.start + 1
        var entry = frame.entriesBase
        for child in children where child.serial == serial {
            spliced.append(contentsOf: writer.bytes[cursor..<child.offset])
            while entry < entries.count && entries[entry] < child.offset {
                entries[entry] += spliced.count - (child.offset - frame.start - 1)
                entry += 1
            }
            spliced.append(contentsOf: child.core.finishChild())
            cursor = child.offset
        }
        let shift = spliced.count - (cursor - frame.start - 1)
        while entry < entries.count {
            entries[entry] += shift
            entry += 1
        }
        spliced.append(contentsOf: writer.bytes[cursor...])
        writer.bytes.replaceSubrange((frame.start + 1)..., with: spliced)
        children.removeAll { $0.serial == serial }
    }

    /// Ends everything that is open here and gives the bytes away.
    private func finishChild() -> [UInt8] {
        while !frames.isEmpty { closeTop() }
        if writer.bytes.isEmpty { writer.append(mapHeader: 0) }
        return writer.bytes
    }

    /// Sorts by the bytes of the encoded keys. Of two equal keys the later one stays, as with a dictionary.
    private func sortEntries(_ frame: inout EncoderFrame) {
        let base = frame.entriesBase
        let isSorted = writer.bytes.withUnsafeBytes { bytes in
            var index = base + 1
            while index < entries.count {
                guard EncoderCore.precedes(entries[index - 1], entries[index], bytes) else { return false }
                steps.step()
                index += 1
            }
            return true
        }
        guard !isSorted else { return }
        let end = writer.bytes.count
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(frame.count)
        for index in base..<entries.count {
            ranges.append(entries[index]..<(index + 1 < entries.count ? entries[index + 1] : end))
        }
        var kept: [Range<Int>] = []
        kept.reserveCapacity(frame.count)
        writer.bytes.withUnsafeBytes { bytes in
            // The later one of two equal keys comes first, and the other one is left out.
            EncoderCore.sort(&ranges) { first, second in
                steps.step()
                return EncoderCore.precedes(first.lowerBound, second.lowerBound, bytes)
                    || (first.lowerBound > second.lowerBound
                        && !EncoderCore.precedes(second.lowerBound, first.lowerBound, bytes))
            }
            for range in ranges {
                steps.step()
                if let last = kept.last, !EncoderCore.precedes(last.lowerBound, range.lowerBound, bytes) { continue }
                kept.append(range)
            }
        }
        frame.count = kept.count
        rewrite(kept, behind: frame)
    }

    /// Puts pieces of the bytes behind the frame's head, in this order, and nothing else.
    private func rewrite(_ pieces: [Range<Int>], behind frame: EncoderFrame) {
        var ordered: [UInt8] = []
        ordered.reserveCapacity(writer.bytes.count - frame.start)
        writer.bytes.withUnsafeBytes { bytes in
            for piece in pieces { ordered.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[piece])) }
        }
        writer.bytes.removeLast(writer.bytes.count - frame.start - 1)
        writer.bytes.append(contentsOf: ordered)
    }

    private static func sort(_ ranges: inout [Range<Int>], by precedes: (Range<Int>, Range<Int>) -> Bool) {
        guard ranges.count <= 16 else {
            ranges.sort(by: precedes)
            return
        }
        for index in 1..<ranges.count {
            let range = ranges[index]
            var place = index
            while place > 0 && precedes(range, ranges[place - 1]) {
                ranges[place] = ranges[place - 1]
                place -= 1
            }
            ranges[place] = range
        }
    }

    /// Whether one encoded text key sorts before another. A longer key has a larger head, so length decides first.
    private static func precedes(_ first: Int, _ second: Int, _ bytes: UnsafeRawBufferPointer) -> Bool {
        var (start, other) = (first, second)
        guard let head = CBORHead(bytes, at: &start), let otherHead = CBORHead(bytes, at: &other) else { return false }
        guard head.argument == otherHead.argument else { return head.argument < otherHead.argument }
        for index in 0..<Int(head.argument) where bytes[start + index] != bytes[other + index] {
            return bytes[start + index] < bytes[other + index]
        }
        return false
    }
}

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
    private func sortElements(_ frame: EncoderFrame) {
        let ranges = writer.bytes.withUnsafeBytes { bytes -> [Range<Int>]? in
            guard let ranges = elements(bytes, from: frame.start + 1, valuesPerElement: frame.valuesPerElement) else {
                return nil
            }
            let isSorted = zip(ranges, ranges.dropFirst()).allSatisfy { !precedes($1, $0, bytes) }
            return isSorted ? nil : ranges.sorted { precedes($0, $1, bytes) }
        }
        if let ranges { rewrite(ranges, behind: frame) }
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
