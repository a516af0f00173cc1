// How a container ends: children into their places, entries into their order, the count into the head.

extension EncoderCore {
    func closeTop() {
        guard let last = frames.popLast() else { return }
        var frame = last
        if frame.hasChildren { splice(&frame) }
        if frame.isMap {
            if frame.count > 1 { sortEntries(&frame) }
        } else if frame.valuesPerElement > 0, frame.count > frame.valuesPerElement {
            sortPieces(of: &frame, valuesPerPiece: frame.valuesPerElement)
        }
        if entries.count > frame.entriesBase { entries.removeLast(entries.count - frame.entriesBase) }
        writeHead(frame)
        topSerial = frames.last?.serial ?? 0
        let pathCount = frame.ownsKey ? frame.pathCount - 1 : frame.pathCount
        if path.count > pathCount { path.removeLast(path.count - pathCount) }
    }

    private func writeHead(_ frame: EncoderFrame) {
        let major: UInt8 = frame.isMap ? 0xa0 : 0x80
        if frame.count < 24 {
            writer.bytes[frame.start] = major | UInt8(frame.count)
        } else if frame.headSize == 1 {
            var head = CBORWriter()
            head.head(major, UInt64(frame.count))
            writer.bytes.replaceSubrange(frame.start..<(frame.start + 1), with: head.bytes)
        }
    }

    /// Puts what was written into buffers of its own where it belongs.
    private func splice(_ frame: inout EncoderFrame) {
        let serial = frame.serial
        var spliced: [UInt8] = []
        var cursor = frame.start + frame.headSize
        var entry = frame.entriesBase
        for child in children where child.serial == serial {
            spliced.append(contentsOf: writer.bytes[cursor..<child.offset])
            while entry < entries.count && entries[entry] < child.offset {
                entries[entry] += spliced.count - (child.offset - frame.start - frame.headSize)
                entry += 1
            }
            spliced.append(contentsOf: child.core.finishChild())
            cursor = child.offset
        }
        let shift = spliced.count - (cursor - frame.start - frame.headSize)
        while entry < entries.count {
            entries[entry] += shift
            entry += 1
        }
        spliced.append(contentsOf: writer.bytes[cursor...])
        writer.bytes.replaceSubrange((frame.start + frame.headSize)..., with: spliced)
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
        if !isSorted { sortPieces(of: &frame, valuesPerPiece: 1) }
    }

    /// Puts what the frame holds into the order of its bytes.
    private func sortPieces(of frame: inout EncoderFrame, valuesPerPiece: Int) {
        let (first, end) = (frame.start + frame.headSize, writer.bytes.count)
        let count = frame.count / valuesPerPiece
        withUnsafeTemporaryAllocation(of: EncodedOrder.Piece.self, capacity: count) { pieces in
            for index in 0..<count {
                let entry = frame.entriesBase + index * valuesPerPiece
                let next = entry + valuesPerPiece
                let last = next < entries.count ? entries[next] : end
                pieces.initializeElement(at: index, to: EncodedOrder.Piece((entries[entry] - first)..<(last - first)))
            }
            withUnsafeTemporaryAllocation(byteCount: end - first, alignment: 8) { copy in
                let length = writer.bytes.withUnsafeMutableBytes { bytes in
                    let written = UnsafeMutableRawBufferPointer(rebasing: bytes[first..<end])
                    copy.copyMemory(from: UnsafeRawBufferPointer(written))
                    EncodedOrder(bytes: UnsafeRawBufferPointer(copy), steps: steps).sort(pieces)
                    return write(pieces, of: UnsafeRawBufferPointer(copy), to: written, &frame)
                }
                writer.bytes.removeLast(end - first - length)
            }
        }
    }

    /// Writes pieces in their order, and of those with the same key only the one that was written last.
    ///
    /// - Returns: how many bytes they take.
    private func write(
        _ pieces: UnsafeMutableBufferPointer<EncodedOrder.Piece>,
        of bytes: UnsafeRawBufferPointer,
        to written: UnsafeMutableRawBufferPointer,
        _ frame: inout EncoderFrame
    ) -> Int {
        let mayRepeat = frame.isMap && !frame.hasDistinctKeys
        var (length, index) = (0, 0)
        while index < pieces.count {
            steps.step()
            var piece = pieces[index]
            index += 1
            while mayRepeat, index < pieces.count, EncoderCore.haveSameKey(piece, pieces[index], bytes) {
                if pieces[index].start > piece.start { piece = pieces[index] }
                frame.count -= 1
                index += 1
            }
            UnsafeMutableRawBufferPointer(rebasing: written[length...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[piece.range]))
            length += piece.range.count
        }
        return length
    }

    private static func haveSameKey(
        _ first: EncodedOrder.Piece,
        _ second: EncodedOrder.Piece,
        _ bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let (first, second) = (Int(first.start), Int(second.start))
        guard bytes[first] == bytes[second] else { return false }
        return !precedes(first, second, bytes) && !precedes(second, first, bytes)
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
