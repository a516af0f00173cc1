import LatticeCoding

/// What a change does to a value.
enum ChangeOperation: UInt64 {
    /// It becomes another one.
    case set = 0
    /// It is a map, some of whose entries change.
    case fields = 1
    /// It becomes an array that is made of pieces.
    case pieces = 2
}

/// A part of an array that is made anew.
struct ChangePiece {
    enum Kind: UInt64 {
        /// Elements of the array as it was.
        case kept = 0
        /// Values that were not there.
        case values = 1
        /// One element of the array as it was, changed.
        case changed = 2
    }

    var kind: Kind
    /// Which element of the array as it was is the first; 0 for values.
    var start = 0
    /// Elements that the piece has.
    var count = 1
    /// Where the piece lies.
    var bytes: Range<Int>
    /// Where its values or its change lie.
    var content: Range<Int>

    /// The element behind those that it takes.
    var end: Int { kind == .values ? 0 : start + count }
}

/// A change that was read once and found in order, with its pieces, which may be wanted in another order.
struct ChangeOutline {
    /// The pieces of one array.
    struct PieceList {
        /// Where their array lies in the change.
        var bytes: Range<Int>
        /// Which of all pieces they are.
        var pieces: Range<Int>
        /// Elements that the array has to have.
        var needed = 0
        /// Elements of the array that they make.
        var count = 0
        /// Whether they take elements in the order in which they were.
        var isAscending = true
    }

    private(set) var pieces: [ChangePiece] = []
    /// In the order in which they begin.
    private var lists: [PieceList] = []

    /// - Throws: ``CBORError`` for bytes that are no change.
    init(_ bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        // From here on all counts are true, and recursion is bounded.
        try reader.skip()
        try reader.finish()
        reader.offset = 0
        try read(&reader)
    }

    /// The list whose array lies here.
    func list(at offset: Int) -> PieceList {
        var (low, high) = (0, lists.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if lists[middle].bytes.lowerBound <= offset { low = middle } else { high = middle - 1 }
        }
        return lists[low]
    }

    /// The pieces of a list in the order in which their elements were.
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
        // Pieces inside of these come behind them.
        let none = ChangePiece(kind: .values, bytes: start..<start, content: start..<start)
        pieces.append(contentsOf: repeatElement(none, count: count))
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
        try checkThatPiecesAreApart(list)
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

    private func checkThatPiecesAreApart(_ list: PieceList) throws(CBORError) {
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
    /// Reads the head of a change, up to what the operation needs.
    mutating func changeOperation() throws(CBORError) -> ChangeOperation {
        let start = offset
        guard try arrayHeader() == 2, let operation = ChangeOperation(rawValue: try unsigned()) else {
            throw .badOperation(at: start)
        }
        return operation
    }

    /// Reads a number of elements, or of an element.
    fileprivate mutating func index() throws(CBORError) -> Int {
        let start = offset
        let number = try unsigned()
        guard let index = Int(exactly: number) else { throw .outOfRange("\(number)", maximum: "\(Int.max)", at: start) }
        return index
    }
}
