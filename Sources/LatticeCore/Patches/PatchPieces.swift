import LatticeCoding

/// The pieces of a changed array as they are written: runs of old elements and of new ones are joined.
struct PatchPieces {
    let oldCount: Int
    /// Pieces that are written.
    private(set) var count = 0
    /// Old elements that follow, and are not written yet.
    private var kept: Range<Int>?
    /// New elements that follow: where their head is, and how many there are.
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

    /// A value is to be written behind this.
    mutating func beginValue(_ writer: inout CBORWriter) {
        if values == nil {
            endRun(&writer)
            begin(1, fields: 2, &writer)
            values = (writer.bytes.count, 0)
            writer.append(arrayHeader: 0)
        }
        values?.count += 1
    }

    /// A change of an old element is to be written behind this.
    mutating func beginChange(of position: Int, _ writer: inout CBORWriter) {
        endRun(&writer)
        begin(2, fields: 3, &writer)
        writer.append(integer: position)
    }

    /// - Returns: Whether anything differs.
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
