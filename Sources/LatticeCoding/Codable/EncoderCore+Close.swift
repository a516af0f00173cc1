// The end of a container: its children are inserted, its entries are sorted, and its head gets the count.

extension EncoderCore {
    func closeTop() {
        guard let last = frames.popLast() else { return }
        var frame = last
        if frame.hasChildren { splice(&frame) }
        if frame.isMap {
            if frame.count > 1 { sortEntries(&frame) }
        } else if frame.valuesPerElement > 0, frame.count > frame.valuesPerElement {
            _ = writer.sort(
                entries[frame.entriesBase...],
                valuesPerPiece: frame.valuesPerElement,
                from: frame.start + frame.headSize,
                mayRepeat: false,
                steps
            )
        }
        if entries.count > frame.entriesBase { entries.removeLast(entries.count - frame.entriesBase) }
        writeHead(frame)
        topSerial = frames.last?.serial ?? 0
        let pathCount = frame.ownsKey ? frame.pathCount - 1 : frame.pathCount
        if path.count > pathCount { path.removeLast(path.count - pathCount) }
    }

    private func writeHead(_ frame: EncoderFrame) {
        if frame.count < 24 || frame.headSize == 1 {
            writer.complete(head: frame.isMap ? 0xa0 : 0x80, at: frame.start, count: frame.count)
        }
    }

    /// Inserts the parts that were written into buffers of their own.
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

    /// Ends all open containers of this core, and returns its bytes.
    private func finishChild() -> [UInt8] {
        while !frames.isEmpty { closeTop() }
        if writer.bytes.isEmpty { writer.append(mapHeader: 0) }
        return writer.bytes
    }

    /// Sorts the entries by the bytes of the encoded keys. Of two equal keys the later one remains, as in a dictionary.
    private func sortEntries(_ frame: inout EncoderFrame) {
        let base = frame.entriesBase
        let isSorted = writer.bytes.withUnsafeBytes { bytes in
            var index = base + 1
            while index < entries.count {
                guard EncodedOrder.precedes(entries[index - 1], entries[index], bytes) else { return false }
                steps.step()
                index += 1
            }
            return true
        }
        guard !isSorted else { return }
        let mayRepeat = !frame.hasDistinctKeys
        frame.count = writer.sort(
            entries[base...],
            valuesPerPiece: 1,
            from: frame.start + frame.headSize,
            mayRepeat: mayRepeat,
            steps
        )
        // A nested container that was requested again under its key continues the first one. The encoding is repeated
        // with a buffer for each of them, to which can be added.
        if frame.hasNested, frame.count < entries.count - base { (root ?? self).needsRestart = true }
    }
}

/// A collection whose elements have no order of their own. It is encoded as an array that is sorted by the encoded
/// bytes of the elements, so that equal values have equal bytes.
protocol UnorderedElements {
    /// The number of consecutive values that are sorted as one element.
    static var valuesPerElement: Int { get }
}

extension Set: UnorderedElements {
    static var valuesPerElement: Int { 1 }
}

/// A dictionary whose keys are neither text nor integers consists of keys and values in turn. Other dictionaries are
/// encoded as maps and never request an array.
extension Dictionary: UnorderedElements {
    static var valuesPerElement: Int { 2 }
}
