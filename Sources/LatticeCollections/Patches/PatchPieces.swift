import LatticeCoding

/// The pieces of a changed array while they are being written. Adjacent old elements are joined, and so are adjacent
/// new elements.
struct PatchPieces {
    let oldCount: Int
    /// The number of pieces that have been written.
    private(set) var count = 0
    /// The next old elements, which have not been written yet.
    private var kept: Range<Int>?
    /// The new elements that are being written: the position of their head, and their number.
    private var values: (head: Int, count: Int)?

    init(ofOld oldCount: Int) {
        self.oldCount = oldCount
    }

    mutating func keep(_ start: Int, count: Int, _ writer: inout CBORWriter) {
        guard count > 0 else { return }
        if let kept, kept.upperBound == start {
            self.kept = kept.lowerBound..<(start + count)
        } else {
            endRun(&writer)
            kept = start..<(start + count)
        }
    }

    /// Prepares for a new value, which the caller writes next.
    mutating func beginValue(_ writer: inout CBORWriter) {
        if values == nil {
            endRun(&writer)
            begin(1, fields: 2, &writer)
            values = (writer.bytes.count, 0)
            writer.append(arrayHeader: 0)
        }
        values?.count += 1
    }

    /// Prepares for a change of an old element, which the caller writes next.
    mutating func beginChange(of position: Int, _ writer: inout CBORWriter) {
        endRun(&writer)
        begin(2, fields: 3, &writer)
        writer.append(integer: position)
    }

    /// Ends the last piece.
    /// - Returns: Whether the arrays differ.
    mutating func finish(_ writer: inout CBORWriter) -> Bool {
        if count == 0, values == nil, (kept ?? 0..<0) == 0..<oldCount { return false }
        endRun(&writer)
        return true
    }

    mutating func endValues(_ writer: inout CBORWriter) {
        guard let values = values.take() else { return }
        writer.complete(head: 0x80, at: values.head, count: values.count)
    }

    private mutating func endRun(_ writer: inout CBORWriter) {
        endValues(&writer)
        guard let kept = kept.take() else { return }
        begin(0, fields: 3, &writer)
        writer.append(integer: kept.lowerBound)
        writer.append(integer: kept.count)
    }

    private mutating func begin(_ operation: Int, fields: Int, _ writer: inout CBORWriter) {
        count += 1
        writer.append(arrayHeader: fields)
        writer.append(integer: operation)
    }
}
