import LatticeCoding

/// Describes a change in words, with one line for each place: `files["a.txt"].size = 12 (was 11)`.
struct ChangeText {
    /// The old value at a place.
    private enum Before {
        /// The old value is unknown.
        case unknown
        /// There was no value.
        case nothing
        /// A value that begins at this position in the state.
        case value(Int)
    }

    /// The approximate maximum number of bytes of text for a value.
    private static let valueWidth = 60

    private var new: CBORReader
    private let outline: ChangeOutline
    private let state: UnsafeRawBufferPointer
    private let maximumLines: Int
    private var lines: [String] = []
    private var leftOut = 0

    /// Returns the lines that describe a change.
    ///
    /// - Parameters:
    ///   - change: The encoded change.
    ///   - state: The value to which the change is applied; empty if it is unknown.
    ///   - maximum: The maximum number of lines.
    /// - Throws: ``CBORError`` for bytes that are not a change, or a change that does not apply to the state.
    static func lines(
        _ change: UnsafeRawBufferPointer,
        of state: UnsafeRawBufferPointer,
        maximum: Int
    ) throws(CBORError) -> [String] {
        var text = ChangeText(change, try ChangeOutline(change), state, maximum)
        try text.describe("", state.isEmpty ? .unknown : .value(0))
        if text.leftOut > 0 { text.lines.append("and \(text.leftOut) more") }
        return text.lines
    }

    private init(
        _ change: UnsafeRawBufferPointer,
        _ outline: ChangeOutline,
        _ state: UnsafeRawBufferPointer,
        _ maximumLines: Int
    ) {
        new = CBORReader(change)
        self.outline = outline
        self.state = state
        self.maximumLines = maximumLines
    }

    private mutating func add(_ line: String) {
        if lines.count < maximumLines { lines.append(line) } else { leftOut += 1 }
    }

    /// Describes the change at `new`, and moves the reader after it.
    private mutating func describe(_ path: String, _ before: Before) throws(CBORError) {
        let start = new.offset
        let operation = try new.changeOperation()
        switch (operation, before) {
        case (.set, _):
            let value = new.offset
            add("\(Self.name(path)) = \(text(new.bytes, value))\(was(before))")
            try new.skip()
        case (_, .nothing):
            throw .noSuchEntry(at: start)
        case (.fields, _):
            try describeFields(path, before)
        case (.pieces, _):
            try describePieces(path, before)
        }
    }

    // MARK: Fields

    private mutating func describeFields(_ path: String, _ before: Before) throws(CBORError) {
        var edits = try MapEntries(&new)
        var old = CBORReader(state)
        var entries: MapEntries?
        if case .value(let offset) = before {
            old.offset = offset
            entries = try MapEntries(&old)
        }
        while let key = try edits.next(&new) {
            let path = path + Self.component(new.bytes, key, isFirst: path.isEmpty)
            var entry = Before.unknown
            if let isPresent = try entries?.find(new.bytes[key], &old).isPresent {
                entry = isPresent ? .value(old.offset) : .nothing
                if isPresent { try old.skip() }
            }
            guard try new.peek() == .null else {
                try describe(path, entry)
                continue
            }
            try new.skip()
            if case .nothing = entry { continue }
            add("\(path) removed\(was(entry))")
        }
    }

    /// Returns the text of a key, as it is written after the value that contains it.
    private static func component(_ bytes: UnsafeRawBufferPointer, _ key: Range<Int>, isFirst: Bool) -> String {
        var reader = CBORReader(bytes, offset: key.lowerBound)
        guard reader.nextIsText, let name = try? reader.text() else {
            return (isFirst ? "self" : "") + "[\(ValueText.of(bytes, at: key.lowerBound, maximum: valueWidth))]"
        }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte != name.utf8.first
            default: false
            }
        }
        guard isName, !name.isEmpty else { return (isFirst ? "self" : "") + "[\(ValueText.quoted(name))]" }
        return isFirst ? name : "." + name
    }

    // MARK: Pieces

    private mutating func describePieces(_ path: String, _ before: Before) throws(CBORError) {
        let list = outline.list(at: new.offset)
        let path = Self.name(path)
        let places = try self.places(of: list, before, path)
        let moved = movedPieces(of: list)
        var position = 0
        for index in list.pieces {
            let piece = outline.pieces[index]
            let range = position..<(position + piece.count)
            position = range.upperBound
            switch piece.kind {
            case .kept:
                break
            case .values:
                add("\(path)[\(Self.indices(range))] = \(values(of: piece)) (new)")
            case .changed:
                new.offset = piece.content.lowerBound
                try describe("\(path)[\(range.lowerBound)]", places[index].map { .value($0) } ?? .unknown)
            }
            if moved.contains(index) {
                add("\(path)[\(Self.indices(piece.start..<piece.end))] moved to \(Self.indices(range))")
            }
        }
        new.offset = list.bytes.upperBound
    }

    private func values(of piece: ChangePiece) -> String {
        guard piece.count > 1 else { return text(new.bytes, piece.content.lowerBound) }
        // The array that contains the values begins directly before them.
        var head = CBORWriter()
        head.append(arrayHeader: piece.count)
        return text(new.bytes, piece.content.lowerBound - head.bytes.count)
    }

    /// Describes the removed elements, and determines where the changed elements begin.
    ///
    /// - Returns: The positions of the changed elements by the indices of their pieces; empty if the state is unknown.
    private mutating func places(
        of list: ChangeOutline.PieceList,
        _ before: Before,
        _ path: String
    ) throws(CBORError) -> [Int: Int] {
        var places: [Int: Int] = [:]
        var old: CBORReader?
        var count = list.needed
        if case .value(let offset) = before {
            var reader = CBORReader(state, offset: offset)
            count = try reader.arrayHeader()
            guard list.needed <= count else {
                throw .noSuchElement(list.needed - 1, count: count, at: list.bytes.lowerBound)
            }
            old = reader
        }
        var reached = 0
        for index in outline.order(of: list) where outline.pieces[index].kind != .values {
            let piece = outline.pieces[index]
            try remove(reached..<piece.start, path, &old)
            if piece.kind == .changed { places[index] = old?.offset }
            for _ in 0..<(old == nil ? 0 : piece.count) { try old?.skip() }
            reached = piece.end
        }
        try remove(reached..<count, path, &old)
        return places
    }

    private mutating func remove(_ range: Range<Int>, _ path: String, _ old: inout CBORReader?) throws(CBORError) {
        guard !range.isEmpty else { return }
        let before = range.count == 1 ? old.map { Before.value($0.offset) } : nil
        add("\(path)[\(Self.indices(range))] removed\(was(before ?? .unknown))")
        for _ in 0..<(old == nil ? 0 : range.count) { try old?.skip() }
    }

    /// Returns the pieces that have another place among the others than before, with as few elements as possible.
    ///
    /// - Complexity: O(*p* log *p*), where *p* is the number of pieces.
    private func movedPieces(of list: ChangeOutline.PieceList) -> Set<Int> {
        guard !list.isAscending else { return [] }
        let order = outline.order(of: list).filter { outline.pieces[$0].kind != .values }
        let ranks = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0 + 1) })
        // The heaviest ascending chain of pieces stays in place. `heaviest[rank]` is a chain that ends below that rank
        // (a Fenwick tree of maxima).
        var heaviest = [(weight: Int, last: Int)](repeating: (0, -1), count: order.count + 1)
        var before: [Int: Int] = [:]
        for index in list.pieces {
            guard let rank = ranks[index] else { continue }
            var best = heaviest[0]
            var place = rank - 1
            while place > 0 {
                if heaviest[place].weight > best.weight { best = heaviest[place] }
                place &= place - 1
            }
            before[index] = best.last
            let weight = best.weight + outline.pieces[index].count
            place = rank
            while place <= order.count {
                if weight > heaviest[place].weight { heaviest[place] = (weight, index) }
                place += place & -place
            }
        }
        var moved = Set(order)
        var last = heaviest.max { $0.weight < $1.weight }?.last ?? -1
        while last >= 0 {
            moved.remove(last)
            last = before[last] ?? -1
        }
        return moved
    }

    // MARK: Words

    private static func name(_ path: String) -> String { path.isEmpty ? "self" : path }

    private static func indices(_ range: Range<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..<\(range.upperBound)"
    }

    private func text(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> String {
        ValueText.of(bytes, at: offset, maximum: Self.valueWidth)
    }

    private func was(_ before: Before) -> String {
        switch before {
        case .unknown: ""
        case .nothing: " (new)"
        case .value(let offset): " (was \(text(state, offset)))"
        }
    }
}
