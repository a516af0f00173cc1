import LatticeCoding

extension Splicer {
    /// Makes a change to a whole value, which is not looked at where it is replaced.
    mutating func applyWhole() throws(CBORError) {
        var ahead = new
        guard try ahead.changeOperation() != .set else {
            new = ahead
            return try takeNew()
        }
        try apply()
        try old.finish()
    }

    /// Makes the change at `new` to the value at `old`, and moves both behind them.
    ///
    /// The result is never too deep: what comes from the change lies less deep in it than in the change.
    mutating func apply() throws(CBORError) {
        switch try new.changeOperation() {
        case .set:
            try old.skip()
            try takeNew()
        case .fields:
            try mergeEntries { splicer, key, isThere throws(CBORError) in try splicer.applyEntry(key, isThere) }
        case .pieces:
            try applyPieces()
        }
    }

    /// - Returns: how many entries there are more.
    private mutating func applyEntry(_ key: Range<Int>, _ isThere: Bool) throws(CBORError) -> Int {
        let start = new.offset
        guard try new.peek() != .null else {
            try new.skip()
            if isThere { try old.skip() }
            return isThere ? -1 : 0
        }
        splices.append(.new(key))
        if isThere {
            try apply()
            return 0
        }
        guard try new.changeOperation() == .set else { throw .noSuchEntry(at: start) }
        try takeNew()
        return 1
    }

    private mutating func applyPieces() throws(CBORError) {
        let list = outline.list(at: new.offset)
        let count = try old.arrayHeader()
        guard list.needed <= count else {
            throw .noSuchElement(list.needed - 1, count: count, at: list.bytes.lowerBound)
        }
        splices.append(.head(0x80, list.count))
        old.level += 1
        let first = splices.count
        // By the order of the elements, so that the array is read once.
        var element = 0
        var parts = [Range<Int>](repeating: first..<first, count: list.isAscending ? 0 : list.pieces.count)
        for index in outline.order(of: list) {
            let start = splices.count
            try applyPiece(outline.pieces[index], &element)
            if !list.isAscending { parts[index - list.pieces.lowerBound] = start..<splices.count }
        }
        try skipElements(count - element)
        if !list.isAscending { reorder(from: first, parts) }
        old.level -= 1
        new.offset = list.bytes.upperBound
    }

    /// - Parameter element: the number of the one that `old` is at.
    private mutating func applyPiece(_ piece: ChangePiece, _ element: inout Int) throws(CBORError) {
        guard piece.kind != .values else { return splices.append(.new(piece.content)) }
        try skipElements(piece.start - element)
        element = piece.end
        guard piece.kind == .kept else {
            new.offset = piece.content.lowerBound
            return try apply()
        }
        let start = old.offset
        try skipElements(piece.count)
        splices.append(.old(start..<old.offset))
    }

    mutating func skipElements(_ count: Int) throws(CBORError) {
        for _ in 0..<count { try old.skip() }
    }
}
