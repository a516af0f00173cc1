import LatticeCoding

/// The operation of a change.
enum ChangeOperation: UInt64 {
    /// The value is replaced by another one.
    case set = 0
    /// The value is a map, and some of its entries change.
    case fields = 1
    /// The value is replaced by an array that is made of pieces.
    case pieces = 2
}

/// A piece of the new array in a change.
struct ChangePiece {
    /// The kind of a piece.
    enum Kind: UInt64 {
        /// Elements of the old array.
        case kept = 0
        /// New values.
        case values = 1
        /// One element of the old array, changed.
        case changed = 2
    }

    var kind: Kind
    /// The index of the first element in the old array; 0 for values.
    var start = 0
    /// The number of elements of the piece.
    var count = 1
    /// The position of the piece.
    var bytes: Range<Int>
    /// The position of its values or of its change.
    var content: Range<Int>

    /// The index after the last element that the piece takes from the old array; 0 for values.
    var end: Int { kind == .values ? 0 : start + count }
}

/// The result of reading and validating a change once: its pieces, which may be needed in another order.
struct ChangeOutline {
    /// The pieces of one array.
    struct PieceList {
        /// The position of their array in the change.
        var bytes: Range<Int>
        /// The indices of these pieces among all pieces of the change.
        var pieces: Range<Int>
        /// The minimum number of elements of the old array.
        var needed = 0
        /// The number of elements of the new array.
        var count = 0
        /// A Boolean value that indicates whether the pieces take elements in their old order.
        var isAscending = true
    }

    /// The pieces of all arrays in the change.
    private(set) var pieces: [ChangePiece] = []
    /// The lists of pieces, in the order in which they begin.
    private var lists: [PieceList] = []

    /// Reads and validates a change.
    ///
    /// - Throws: ``CBORError`` for bytes that are not a change.
    init(_ bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        // After this, all counts are valid and the recursion is bounded.
        try reader.skip()
        try reader.finish()
        reader.offset = 0
        try read(&reader)
    }

    /// Returns the list whose array is at this position.
    func list(at offset: Int) -> PieceList {
        var (low, high) = (0, lists.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if lists[middle].bytes.lowerBound <= offset { low = middle } else { high = middle - 1 }
        }
        return lists[low]
    }

    /// Returns the indices of the pieces of a list, in the old order of their elements.
    func order(of list: PieceList) -> [Int] {
        let order = Array(list.pieces)
        guard !list.isAscending else { return order }
        return order.sorted { (pieces[$0].start, $0) < (pieces[$1].start, $1) }
    }

    private mutating func read(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        switch try reader.changeOperation() {
        case .set:
            try reader.skip()
        case .fields:
            var entries = try MapEntries(&reader)
            guard entries.count > 0 else { throw .emptyChange(at: start) }
            while try entries.next(&reader) != nil {
                if try reader.peek() == .null { try reader.skip() } else { try read(&reader) }
            }
        case .pieces:
            try readPieces(&reader)
        }
    }

    private mutating func readPieces(_ reader: inout CBORReader) throws(CBORError) {
        let start = reader.offset
        let count = try reader.arrayHeader()
        guard count > 0 else { throw .emptyChange(at: start) }
        let index = lists.count
        var list = PieceList(bytes: start..<start, pieces: pieces.count..<(pieces.count + count))
        lists.append(list)
        // Pieces inside these pieces follow them.
        let placeholder = ChangePiece(kind: .values, bytes: start..<start, content: start..<start)
        pieces.append(contentsOf: repeatElement(placeholder, count: count))
        var reached = 0
        for index in list.pieces {
            let piece = try readPiece(&reader)
            pieces[index] = piece
            let (sum, overflow) = list.count.addingReportingOverflow(piece.count)
            guard !overflow else {
                throw .outOfRange("\(piece.count)", maximum: "\(Int.max - list.count)", at: piece.bytes.lowerBound)
            }
            list.count = sum
            list.needed = max(list.needed, piece.end)
            guard piece.kind != .values else { continue }
            if piece.start < reached { list.isAscending = false }
            reached = piece.end
        }
        list.bytes = start..<reader.offset
        try checkThatPiecesDoNotOverlap(list)
        lists[index] = list
    }

    private mutating func readPiece(_ reader: inout CBORReader) throws(CBORError) -> ChangePiece {
        let start = reader.offset
        let length = try reader.arrayHeader()
        guard length > 0, let kind = ChangePiece.Kind(rawValue: try reader.unsigned()),
            length == (kind == .values ? 2 : 3)
        else { throw .badOperation(at: start) }
        var piece = ChangePiece(kind: kind, bytes: start..<start, content: start..<start)
        if kind != .values { piece.start = try reader.index() }
        if kind == .kept { piece.count = try reader.index() }
        if kind == .values { piece.count = try reader.arrayHeader() }
        guard piece.count > 0 else { throw .emptyChange(at: start) }
        guard piece.start <= Int.max - piece.count else {
            throw .outOfRange("\(piece.count)", maximum: "\(Int.max - piece.start)", at: start)
        }
        let content = reader.offset
        switch kind {
        case .kept: break
        case .values: for _ in 0..<piece.count { try reader.skip() }
        case .changed: try read(&reader)
        }
        piece.bytes = start..<reader.offset
        piece.content = content..<reader.offset
        return piece
    }

    private func checkThatPiecesDoNotOverlap(_ list: PieceList) throws(CBORError) {
        guard !list.isAscending else { return }
        var reached = 0
        for index in order(of: list) where pieces[index].kind != .values {
            let piece = pieces[index]
            guard piece.start >= reached else { throw .repeatedElement(piece.start, at: list.bytes.lowerBound) }
            reached = piece.end
        }
    }
}

extension CBORReader {
    /// Reads the head of a change, up to the operand of its operation.
    mutating func changeOperation() throws(CBORError) -> ChangeOperation {
        let start = offset
        guard try arrayHeader() == 2, let operation = ChangeOperation(rawValue: try unsigned()) else {
            throw .badOperation(at: start)
        }
        return operation
    }

    /// Reads an index or a number of elements.
    fileprivate mutating func index() throws(CBORError) -> Int {
        let start = offset
        let number = try unsigned()
        guard let index = Int(exactly: number) else { throw .outOfRange("\(number)", maximum: "\(Int.max)", at: start) }
        return index
    }
}
