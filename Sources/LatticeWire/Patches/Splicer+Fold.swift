import LatticeCoding

extension Splicer {
    /// Makes one change of those at `old` and `new`, and moves both behind them.
    ///
    /// It is never too deep: what comes from one of both lies no deeper in it than there.
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
            try mergeEntries { splicer, key, isThere throws(CBORError) in try splicer.foldEntry(key, isThere) }
        case (.pieces, .pieces):
            try foldPieces()
        default:
            throw .unlikeChanges(at: start)
        }
    }

    /// - Returns: how many entries there are more.
    private mutating func foldEntry(_ key: Range<Int>, _ isThere: Bool) throws(CBORError) -> Int {
        splices.append(.new(key))
        guard isThere else {
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
        // By the order of the elements, so that the earlier pieces are gone over once.
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

    /// Adds what a later piece stands for in the earlier ones.
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

    /// Writes an array of pieces, of which neighbours are joined.
    ///
    /// - Parameter start: where their splices begin.
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

/// A piece of what two changes fold to.
private struct FoldedPiece {
    var kind: ChangePiece.Kind
    var start = 0
    var count: Int
    /// Its values, or all of it if it is a changed element.
    var splices: Range<Int>

    /// Takes in the piece behind it, if that is more of the same.
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

/// Goes over the elements that the pieces of an array make, in their order.
private struct PieceWalk {
    let list: ChangeOutline.PieceList
    private let pieces: ArraySlice<ChangePiece>
    private var index: Int
    /// Elements that the pieces before the one at `index` make.
    private var passed = 0
    /// Values of the piece at `index` that were passed.
    var value = 0
    /// Where the next one lies, once one was read.
    var valueOffset: Int?

    init(_ outline: ChangeOutline, _ list: ChangeOutline.PieceList) {
        self.list = list
        pieces = outline.pieces[list.pieces]
        index = list.pieces.lowerBound
    }

    /// The piece that makes an element, which is not before one that was asked for, and the element's place in it.
    mutating func piece(with element: Int) -> (piece: ChangePiece, place: Int) {
        while element >= passed + pieces[index].count {
            passed += pieces[index].count
            index += 1
            (value, valueOffset) = (0, nil)
        }
        return (pieces[index], element - passed)
    }
}
