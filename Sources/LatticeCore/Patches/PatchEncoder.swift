import LatticeCoding

/// Writes a ``Patch``: what differs between two values, and nothing of what does not.
///
/// Nothing is written until something differs: a part without a difference leaves no trace.
public struct PatchEncoder {
    /// A value whose changes are being written.
    private struct Part {
        enum Form {
            /// Nothing differs so far.
            case same
            /// The whole is written.
            case set
            /// Entries: how many, and where the first of ``PatchEncoder/entries`` is that belongs to it.
            case fields(count: Int, first: Int)
            case pieces(PatchPieces)
        }

        /// Where it begins.
        let start: Int
        var form = Form.same
    }

    /// Values inside one another; each takes up to four levels.
    static let maximumDepth = CBORLimits.maximumDepth / 4

    private var writer = CBORWriter()
    private var part = Part(start: 0)
    /// Where the keys of the entries begin, of all open parts.
    private var entries: [Int] = []
    private var depth = 0

    package init() {}

    package var bytes: [UInt8] { writer.bytes }

    // MARK: A value

    /// Writes what turns `old` into `new`.
    /// - Returns: Whether anything differs.
    package mutating func encode<Value: Patchable>(from old: Value, to new: Value) throws -> Bool {
        try withPart { try new.encodePatch(from: old, to: &$0) }
    }

    /// The same for a value that may be ``Patchable``, which a generic type learns only now.
    mutating func encode<Value: Codable & Equatable>(from old: Value, to new: Value) throws -> Bool {
        if let type = Value.self as? any Patchable.Type { return try encode(from: old, to: new, as: type) }
        guard !_$isSameValue(old, new) else { return false }
        try append(whole: new)
        return true
    }

    private mutating func encode<Value, Same: Patchable>(
        from old: Value,
        to new: Value,
        as type: Same.Type
    ) throws -> Bool {
        // The same type by two names.
        try encode(from: unsafeBitCast(old, to: Same.self), to: unsafeBitCast(new, to: Same.self))
    }

    /// The same for a value that stands for the present part.
    mutating func encodeHere<Value: Codable & Equatable>(from old: Value, to new: Value) throws {
        if let type = Value.self as? any Patchable.Type {
            try encodeHere(from: old, to: new, as: type)
        } else if old != new {
            try set(new)
        }
    }

    private mutating func encodeHere<Value, Same: Patchable>(
        from old: Value,
        to new: Value,
        as type: Same.Type
    ) throws {
        try unsafeBitCast(new, to: Same.self).encodePatch(from: unsafeBitCast(old, to: Same.self), to: &self)
    }

    /// The value becomes another one altogether.
    public mutating func set(_ value: some Encodable) throws {
        writer.bytes.removeLast(writer.bytes.count - part.start)
        try append(whole: value)
        part.form = .set
    }

    private mutating func append(whole value: some Encodable) throws {
        begin(0)
        try CBOREncoder().encode(value, into: &writer.bytes)
    }

    /// Begins a change of this operation.
    private mutating func begin(_ operation: UInt8) {
        writer.append(arrayHeader: 2)
        writer.append(integer: operation)
    }

    /// - Returns: Whether anything differs.
    private mutating func withPart(_ body: (inout PatchEncoder) throws -> Void) throws -> Bool {
        guard depth < Self.maximumDepth else { throw tooDeep }
        depth += 1
        let outer = part
        part = Part(start: writer.bytes.count)
        defer {
            part = outer
            depth -= 1
        }
        try body(&self)
        return endPart()
    }

    private var tooDeep: EncodingError {
        let sentence = "a change inside more than \(Self.maximumDepth) values cannot be sent; nest them less deeply"
        return .invalidValue(depth, EncodingError.Context(codingPath: [], debugDescription: sentence))
    }

    private mutating func endPart() -> Bool {
        switch part.form {
        case .same:
            return false
        case .set:
            return true
        case .fields(let count, let first):
            sortEntries(from: first)
            entries.removeLast(entries.count - first)
            writer.complete(head: 0xa0, at: part.start + 2, count: count)
            return true
        case .pieces(var pieces):
            guard pieces.finish(&writer) else {
                writer.bytes.removeLast(writer.bytes.count - part.start)
                return false
            }
            writer.complete(head: 0x80, at: part.start + 2, count: pieces.count)
            return true
        }
    }
}

// MARK: Fields

extension PatchEncoder {
    /// A property under the name that it has where it is encoded.
    public mutating func field<Value: Patchable>(_ name: String, from old: Value, to new: Value) throws {
        try entry(name) { try $0.encode(from: old, to: new) }
    }

    /// A property of a type that is sent as a whole.
    @_disfavoredOverload
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value, to new: Value) throws {
        try entry(name) { try $0.encode(from: old, to: new) }
    }

    /// An optional property, which is not there where it is nil.
    public mutating func field<Value: Patchable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try entry(name) { try $0.encode(from: old, to: new) }
    }

    /// An optional property of a type that is sent as a whole.
    @_disfavoredOverload
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try entry(name) { try $0.encode(from: old, to: new) }
    }

    private mutating func field(_ name: String, comesOrGoes new: (some Encodable)?, isThere: Bool) throws {
        if let new { try setEntry(name, new) } else if isThere { removeEntry(name) }
    }

    /// The payload of an enum that stays in its case, under the name of that.
    public mutating func payload(of name: String, _ fields: (inout PatchEncoder) throws -> Void) throws {
        try entry(name) { try $0.withPart(fields) }
    }

    mutating func setEntry(_ name: String, _ value: some Encodable) throws {
        beginEntry(name)
        try append(whole: value)
    }

    mutating func removeEntry(_ name: String) {
        beginEntry(name)
        writer.appendNull()
    }

    /// - Parameter change: Writes a change, and says whether there is any.
    mutating func entry(_ name: String, _ change: (inout PatchEncoder) throws -> Bool) throws {
        let (start, before) = (writer.bytes.count, part.form)
        beginEntry(name)
        guard try !change(&self) else { return }
        writer.bytes.removeLast(writer.bytes.count - start)
        entries.removeLast()
        part.form = before
    }

    private mutating func beginEntry(_ name: String) {
        if case .fields(let count, let first) = part.form {
            part.form = .fields(count: count + 1, first: first)
        } else {
            part.form = .fields(count: 1, first: entries.count)
            begin(1)
            writer.append(mapHeader: 0)
        }
        entries.append(writer.bytes.count)
        writer.append(text: name)
    }

    /// Entries that come in their order, as those of a dictionary do, are left where they are.
    private mutating func sortEntries(from first: Int) {
        let starts = entries[first...]
        guard let start = starts.first else { return }
        let sorted = writer.bytes.withUnsafeBytes { bytes -> [Int]? in
            func precedes(_ one: Int, _ two: Int) -> Bool { bytes[one...].lexicographicallyPrecedes(bytes[two...]) }
            return zip(starts, starts.dropFirst()).allSatisfy(precedes) ? nil : starts.sorted(by: precedes)
        }
        guard let sorted else { return }
        let ends = Dictionary(uniqueKeysWithValues: zip(starts, starts.dropFirst() + [writer.bytes.count]))
        writer.bytes.replaceSubrange(start..., with: sorted.flatMap { writer.bytes[$0..<(ends[$0] ?? $0)] })
    }
}

// MARK: Pieces

extension PatchEncoder {
    /// Elements of the old array follow unchanged.
    mutating func keep(_ start: Int, count: Int, ofOld oldCount: Int) {
        var pieces = takePieces(ofOld: oldCount)
        pieces.keep(start, count: count, &writer)
        part.form = .pieces(pieces)
    }

    /// A new element follows.
    mutating func insert(_ element: some Encodable, ofOld oldCount: Int) throws {
        var pieces = takePieces(ofOld: oldCount)
        pieces.beginValue(&writer)
        part.form = .pieces(pieces)
        try CBOREncoder().encode(element, into: &writer.bytes)
    }

    /// An element of the old array follows, changed or not.
    mutating func keep<Element: Codable & Equatable>(
        _ position: Int,
        from old: Element,
        to new: Element,
        ofOld oldCount: Int
    ) throws {
        // Quick, and true of nearly all that are asked about.
        if _$hasSameBits(old, new) { return keep(position, count: 1, ofOld: oldCount) }
        var pieces = takePieces(ofOld: oldCount)
        pieces.endValues(&writer)
        let (start, before) = (writer.bytes.count, pieces)
        pieces.beginChange(of: position, &writer)
        part.form = .pieces(pieces)
        guard try !encode(from: old, to: new) else { return }
        writer.bytes.removeLast(writer.bytes.count - start)
        part.form = .pieces(before)
        keep(position, count: 1, ofOld: oldCount)
    }

    private mutating func takePieces(ofOld oldCount: Int) -> PatchPieces {
        if case .pieces(let pieces) = part.form { return pieces }
        begin(2)
        writer.append(arrayHeader: 0)
        return PatchPieces(ofOld: oldCount)
    }
}
