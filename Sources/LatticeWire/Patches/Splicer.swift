import LatticeCoding

/// Composes bytes from parts of two inputs: a value and a change of it, or two consecutive changes.
///
/// It copies nothing before all parts are known. First it makes a list of the parts, and then the result in one piece.
struct Splicer {
    /// A part of the result.
    enum Splice {
        /// A range of the value, or of the first change.
        case old(Range<Int>)
        /// A range of the change that is applied to it.
        case new(Range<Int>)
        /// A head with this major type, which is already shifted to its place in the first byte, and this argument.
        case head(UInt8, Int)
    }

    /// A reader of the value, or of the first change.
    var old: CBORReader
    /// A reader of the change that is applied to it.
    var new: CBORReader
    /// The outline of the change in `new`.
    let outline: ChangeOutline
    /// The outline of the first of two changes; nil if `old` is a value.
    var oldOutline: ChangeOutline?
    /// The parts of the result so far.
    var splices: [Splice] = []

    /// Creates a splicer.
    ///
    /// - Parameters:
    ///   - old: The value, or the first change.
    ///   - new: The change that is applied to it.
    ///   - outline: The outline of `new`.
    init(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer, outline: ChangeOutline) {
        self.old = CBORReader(old)
        self.new = CBORReader(new)
        self.outline = outline
    }

    /// Composes the result.
    ///
    /// - Throws: ``CBORError`` with `tooLarge`, before memory for the result is allocated.
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

    /// Takes over the value at `new`.
    mutating func takeNew() throws(CBORError) {
        let start = new.offset
        try new.skip()
        splices.append(.new(start..<new.offset))
    }

    /// Reorders the parts that were added from `start` on.
    ///
    /// - Parameters:
    ///   - start: The position in ``splices`` of the first of these parts.
    ///   - parts: Ranges of ``splices`` that cover them.
    mutating func reorder(from start: Int, _ parts: [Range<Int>]) {
        let ordered = parts.flatMap { splices[$0] }
        splices.replaceSubrange(start..., with: ordered)
    }

    /// Merges the entries of a map, or of the first of two changes of a map, with those of the change at `new`.
    mutating func mergeEntries(
        _ merge: (inout Splicer, _ key: Range<Int>, _ isPresent: Bool) throws(CBORError) -> Int
    ) throws(CBORError) {
        var entries = try MapEntries(&old)
        var edits = try MapEntries(&new)
        var count = entries.count
        let head = splices.count
        splices.append(.head(0xa0, count))
        old.level += 1
        var kept = old.offset
        while let key = try edits.next(&new) {
            let (start, isPresent) = try entries.find(new.bytes[key], &old)
            splices.append(.old(kept..<start))
            count += try merge(&self, key, isPresent)
            kept = isPresent ? old.offset : start
        }
        try entries.finish(&old)
        splices.append(.old(kept..<old.offset))
        splices[head] = .head(0xa0, count)
        old.level -= 1
    }
}

extension CBORHead {
    /// Returns the number of bytes of a head with this argument.
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
