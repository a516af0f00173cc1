import LatticeCoding

extension Splicer {
    /// Applies a change to a whole value. The value is not read if it is replaced.
    mutating func applyWhole() throws(CBORError) {
        var ahead = new
        guard try ahead.changeOperation() != .set else {
            new = ahead
            return try takeNew()
        }
        try apply()
        try old.finish()
    }

    /// Applies the change at `new` to the value at `old`, and moves both readers after them.
    ///
    /// The result never exceeds the maximum depth, because each part of the change lies less deep in it than in the
    /// change.
    mutating func apply() throws(CBORError) {
        switch try new.changeOperation() {
        case .set:
            try old.skip()
            try takeNew()
        case .fields:
            try mergeEntries { splicer, key, isPresent throws(CBORError) in try splicer.applyEntry(key, isPresent) }
        case .pieces:
            try applyPieces()
        }
    }

    /// Applies the change of the entry with one key.
    ///
    /// - Returns: The number of entries that this adds to the map.
    private mutating func applyEntry(_ key: Range<Int>, _ isPresent: Bool) throws(CBORError) -> Int {
        let start = new.offset
        guard try new.peek() != .null else {
            try new.skip()
            if isPresent { try old.skip() }
            return isPresent ? -1 : 0
        }
        splices.append(.new(key))
        if isPresent {
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
        // The pieces are visited in the order of the elements, so that the array is read once.
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

    /// Adds the elements of a piece.
    ///
    /// - Parameters:
    ///   - piece: The piece.
    ///   - element: The index of the element at which `old` is.
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
