import LatticeCoding

extension Splicer {
    /// Folds the changes at `old` and `new` into one, and moves both readers after them.
    ///
    /// The result never exceeds the maximum depth, because no part lies deeper in it than in the change from which it
    /// comes.
    mutating func fold() throws(CBORError) {
        let start = new.offset
        let later = try new.changeOperation()
        guard later != .set else {
            new.offset = start
            try old.skip()
            return try takeNew()
        }
        let earlier = try old.changeOperation()
        splices.append(.head(0x80, 2))
        splices.append(.head(0, Int(earlier.rawValue)))
        switch (earlier, later) {
        case (.set, _):
            new.offset = start
            try apply()
        case (.fields, .fields):
            try mergeEntries { splicer, key, isPresent throws(CBORError) in try splicer.foldEntry(key, isPresent) }
        case (.pieces, .pieces):
            try foldPieces()
        default:
            throw .unlikeChanges(at: start)
        }
    }

    /// Folds the entry with one key.
    ///
    /// - Returns: The number of entries that this adds to those of the earlier change.
    private mutating func foldEntry(_ key: Range<Int>, _ isPresent: Bool) throws(CBORError) -> Int {
        splices.append(.new(key))
        guard isPresent else {
            try takeNew()
            return 1
        }
        if try new.peek() == .null {
            try old.skip()
            try takeNew()
        } else if try old.peek() == .null {
            var ahead = new
            guard try ahead.changeOperation() == .set else { throw .noSuchEntry(at: new.offset) }
            try old.skip()
            try takeNew()
        } else {
            try fold()
        }
        return 0
    }

    private mutating func foldPieces() throws(CBORError) {
        guard let oldOutline else { return }
        let later = outline.list(at: new.offset)
        var walk = PieceWalk(oldOutline, oldOutline.list(at: old.offset))
        guard later.needed <= walk.list.count else {
            throw .noSuchElement(later.needed - 1, count: walk.list.count, at: later.bytes.lowerBound)
        }
        let first = splices.count
        // The later pieces are visited in the order of the elements, so that the earlier pieces are visited only once.
        var parts: [FoldedPiece] = []
        var places = [Range<Int>](repeating: 0..<0, count: later.isAscending ? 0 : later.pieces.count)
        for index in outline.order(of: later) {
            let start = parts.count
            try foldPiece(outline.pieces[index], &walk, into: &parts)
            if !later.isAscending { places[index - later.pieces.lowerBound] = start..<parts.count }
        }
        write(later.isAscending ? parts : places.flatMap { parts[$0] }, from: first)
        old.offset = walk.list.bytes.upperBound
        new.offset = later.bytes.upperBound
    }

    /// Adds the pieces that a later piece stands for, expressed by the earlier pieces.
    private mutating func foldPiece(
        _ piece: ChangePiece,
        _ walk: inout PieceWalk,
        into parts: inout [FoldedPiece]
    ) throws(CBORError) {
        let first = splices.count
        guard piece.kind != .values else {
            splices.append(.new(piece.content))
            return parts.append(FoldedPiece(kind: .values, count: piece.count, splices: first..<splices.count))
        }
        var element = piece.start
        while element < piece.end {
            let (earlier, place) = walk.piece(with: element)
            let count = min(piece.end - element, earlier.count - place)
            let start = splices.count
            var part = FoldedPiece(
                kind: earlier.kind,
                start: earlier.start + place,
                count: count,
                splices: start..<start
            )
            if earlier.kind == .values {
                try skipValues(of: earlier, to: place, &walk)
                try takeValues(count, changedBy: piece, &walk)
            } else if piece.kind == .changed {
                part.kind = .changed
                try foldChange(piece, into: earlier, at: part.start)
            } else if earlier.kind == .changed {
                splices.append(.old(earlier.bytes))
            }
            part.splices = start..<splices.count
            parts.append(part)
            element += count
        }
    }

    /// Moves `old` to one of the values of a piece.
    private mutating func skipValues(
        of piece: ChangePiece,
        to place: Int,
        _ walk: inout PieceWalk
    ) throws(CBORError) {
        old.offset = walk.valueOffset ?? piece.content.lowerBound
        try skipElements(place - walk.value)
        walk.value = place
        walk.valueOffset = old.offset
    }

    private mutating func takeValues(
        _ count: Int,
        changedBy piece: ChangePiece,
        _ walk: inout PieceWalk
    ) throws(CBORError) {
        if piece.kind == .changed {
            new.offset = piece.content.lowerBound
            try apply()
        } else {
            let start = old.offset
            try skipElements(count)
            splices.append(.old(start..<old.offset))
        }
        walk.value += count
        walk.valueOffset = old.offset
    }

    private mutating func foldChange(
        _ piece: ChangePiece,
        into earlier: ChangePiece,
        at element: Int
    ) throws(CBORError) {
        splices += [.head(0x80, 3), .head(0, Int(ChangePiece.Kind.changed.rawValue)), .head(0, element)]
        guard earlier.kind == .changed else { return splices.append(.new(piece.content)) }
        old.offset = earlier.content.lowerBound
        new.offset = piece.content.lowerBound
        try fold()
    }

    /// Writes an array of pieces, and joins neighbours.
    ///
    /// - Parameters:
    ///   - parts: The pieces.
    ///   - start: The position in ``splices`` at which the splices of the pieces begin.
    private mutating func write(_ parts: [FoldedPiece], from start: Int) {
        let contents = Array(splices[start...])
        splices.removeSubrange(start...)
        let head = splices.count
        splices.append(.head(0x80, 0))
        var (pieces, index) = (0, 0)
        while index < parts.count {
            var piece = parts[index]
            var end = index + 1
            while end < parts.count, piece.join(parts[end]) { end += 1 }
            switch piece.kind {
            case .kept: splices += [.head(0x80, 3), .head(0, 0), .head(0, piece.start), .head(0, piece.count)]
            case .values: splices += [.head(0x80, 2), .head(0, 1), .head(0x80, piece.count)]
            case .changed: break
            }
            for part in parts[index..<end] {
                splices += contents[(part.splices.lowerBound - start)..<(part.splices.upperBound - start)]
            }
            pieces += 1
            index = end
        }
        splices[head] = .head(0x80, pieces)
    }
}

/// A piece of the result of folding.
private struct FoldedPiece {
    var kind: ChangePiece.Kind
    var start = 0
    var count: Int
    /// The splices of its values, or of the whole piece if it is a changed element.
    var splices: Range<Int>

    /// Appends the next piece to this one if both are values or consecutive kept elements. Returns whether it did.
    mutating func join(_ next: FoldedPiece) -> Bool {
        switch (kind, next.kind) {
        case (.values, .values): break
        case (.kept, .kept) where start + count == next.start: break
        default: return false
        }
        count += next.count
        return true
    }
}

/// Visits the elements that the pieces of an array produce, in order.
private struct PieceWalk {
    let list: ChangeOutline.PieceList
    private let pieces: ArraySlice<ChangePiece>
    private var index: Int
    /// The number of elements that the pieces before the one at `index` produce.
    private var passed = 0
    /// The number of values of the piece at `index` that were passed.
    var value = 0
    /// The position of the next value; nil until a value was read.
    var valueOffset: Int?

    init(_ outline: ChangeOutline, _ list: ChangeOutline.PieceList) {
        self.list = list
        pieces = outline.pieces[list.pieces]
        index = list.pieces.lowerBound
    }

    /// Returns the piece that produces an element, and the element's place in it. The element must not be before one
    /// that was requested earlier.
    mutating func piece(with element: Int) -> (piece: ChangePiece, place: Int) {
        while element >= passed + pieces[index].count {
            passed += pieces[index].count
            index += 1
            (value, valueOffset) = (0, nil)
        }
        return (pieces[index], element - passed)
    }
}
