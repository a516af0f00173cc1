import LatticeCoding

/// Makes bytes out of parts of two others: of a value and of a change of it, or of two changes in a row.
///
/// Nothing is copied before all is known: first a list of the parts, then the result in one piece.
struct Splicer {
    /// A part of the result.
    enum Splice {
        case old(Range<Int>)
        case new(Range<Int>)
        /// A head of this major type, where it lies in the first byte.
        case head(UInt8, Int)
    }

    /// At the value, or at the first change.
    var old: CBORReader
    /// At the change that is made to it.
    var new: CBORReader
    let outline: ChangeOutline
    /// Of the first of two changes.
    var oldOutline: ChangeOutline?
    var splices: [Splice] = []

    /// - Parameter outline: of `new`.
    init(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer, outline: ChangeOutline) {
        self.old = CBORReader(old)
        self.new = CBORReader(new)
        self.outline = outline
    }

    /// - Throws: ``CBORError`` with `tooLarge`, before there is room for the result.
    func result(maximum: Int) throws(CBORError) -> [UInt8] {
        var size = 0
        for splice in splices {
            switch splice {
            case .old(let range), .new(let range): size += range.count
            case .head(_, let argument): size += CBORHead.size(of: UInt64(argument))
            }
        }
        guard size <= maximum else { throw .changeTooLarge(size, maximum: maximum) }
        var writer = CBORWriter()
        writer.bytes.reserveCapacity(size)
        for splice in splices {
            switch splice {
            case .old(let range): writer.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: old.bytes[range]))
            case .new(let range): writer.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: new.bytes[range]))
            case .head(let major, let argument): writer.head(major, UInt64(argument))
            }
        }
        return writer.bytes
    }

    /// Reads over the value at `new`, which is taken over.
    mutating func takeNew() throws(CBORError) {
        let start = new.offset
        try new.skip()
        splices.append(.new(start..<new.offset))
    }

    /// Puts what was added from `start` on into another order.
    ///
    /// - Parameter parts: ranges of ``splices`` that cover it.
    mutating func reorder(from start: Int, _ parts: [Range<Int>]) {
        let ordered = parts.flatMap { splices[$0] }
        splices.replaceSubrange(start..., with: ordered)
    }

    /// Goes over the entries of a map, or of the first of two changes of one, beside those of the change at `new`.
    mutating func mergeEntries(
        _ merge: (inout Splicer, _ key: Range<Int>, _ isThere: Bool) throws(CBORError) -> Int
    ) throws(CBORError) {
        var entries = try MapEntries(&old)
        var edits = try MapEntries(&new)
        var count = entries.count
        let head = splices.count
        splices.append(.head(0xa0, count))
        old.level += 1
        var kept = old.offset
        while let key = try edits.next(&new) {
            let (start, isThere) = try entries.find(new.bytes[key], &old)
            splices.append(.old(kept..<start))
            count += try merge(&self, key, isThere)
            kept = isThere ? old.offset : start
        }
        try entries.finish(&old)
        splices.append(.old(kept..<old.offset))
        splices[head] = .head(0xa0, count)
        old.level -= 1
    }
}

extension CBORHead {
    /// Bytes that a head with this argument takes.
    fileprivate static func size(of argument: UInt64) -> Int {
        switch argument {
        case ..<24: 1
        case ...0xff: 2
        case ...0xffff: 3
        case ...0xffff_ffff: 5
        default: 9
        }
    }
}
