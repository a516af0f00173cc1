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
        /// Arrays and maps that its change is inside of, in the patch.
        let level: Int
        var form = Form.same

        /// Arrays and maps that a change of one of its parts is inside of.
        var levelInside: Int {
            switch form {
            case .same, .set: level
            case .fields: level + PatchEncoder.fieldLevels
            case .pieces: level + PatchEncoder.pieceLevels
            }
        }
    }

    /// Levels around the change of a field, and around that of an element.
    private static let (fieldLevels, pieceLevels) = (2, 3)
    /// Levels around a value in its change, and around a new element in the change of its array.
    private static let (setLevels, insertLevels) = (1, 4)

    private var writer = CBORWriter()
    private var part = Part(start: 0, level: 0)
    /// The parts around it.
    private var outer: [Part] = []
    /// Where the keys of the entries begin, of all open parts.
    private var entries: [Int] = []

    package init() {}

    package var bytes: [UInt8] { writer.bytes }

    // MARK: A value

    // What is generic here and in the decoder is inlinable, so that it is compiled for the types of a state where that
    // is declared: of 100,000 elements one changes in a tenth of the time.

    /// Writes what turns `old` into `new`: all of it, where what differs is nested too deeply.
    /// - Returns: Whether anything differs.
    @inlinable
    mutating func encode<Value: Patchable>(from old: Value, to new: Value) throws -> Bool {
        let depth = depth
        do {
            try beginPart()
            try new.encodePatch(from: old, to: &self)
            return endPart()
        } catch {
            try goBack(to: depth, after: error)
            return try encodeWhole(from: old, to: new)
        }
    }

    /// The same for a value that may be ``Patchable``, which a generic type learns only now.
    @inlinable
    mutating func encode<Value: Codable & Equatable>(from old: Value, to new: Value) throws -> Bool {
        if let type = Value.self as? any Patchable.Type { return try encode(from: old, to: new, as: type) }
        return try encodeWhole(from: old, to: new)
    }

    @inlinable
    mutating func encodeWhole<Value: Codable & Equatable>(from old: Value, to new: Value) throws -> Bool {
        guard try !isSame(old, new) else { return false }
        try append(whole: new)
        return true
    }

    @usableFromInline
    mutating func encode<Value, Same: Patchable>(from old: Value, to new: Value, as type: Same.Type) throws -> Bool {
        // The same type by two names.
        try encode(from: unsafeBitCast(old, to: Same.self), to: unsafeBitCast(new, to: Same.self))
    }

    /// The same for a value that stands for the present part.
    mutating func encodeHere<Value: Codable & Equatable>(from old: Value, to new: Value) throws {
        if let type = Value.self as? any Patchable.Type {
            try encodeHere(from: old, to: new, as: type)
        } else if try !isSame(old, new) {
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
        takeBack(to: part.start)
        part.form = .same
        try append(whole: value)
        part.form = .set
    }

    private mutating func takeBack(to start: Int) {
        writer.bytes.removeLast(writer.bytes.count - start)
        while let entry = entries.last, entry >= start { entries.removeLast() }
    }

    @usableFromInline
    mutating func append(whole value: some Encodable) throws {
        begin(0)
        try encode(value, level: part.levelInside + Self.setLevels)
    }

    /// - Parameter level: Arrays and maps that the value is inside of.
    private mutating func encode(_ value: some Encodable, level: Int) throws {
        writer.level = level
        do {
            try CBOREncoder.append(value, to: &writer)
        } catch {
            throw CodingFailure.place(error, within: openNames)
        }
    }

    /// The keys that lead to what is being written.
    private var openNames: [String] {
        (outer + [part]).compactMap { part in
            guard case .fields(let count, let first) = part.form else { return nil }
            return writer.bytes.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes, offset: entries[first + count - 1])
                return try? reader.text()
            }
        }
    }

    /// Begins a change of this operation.
    private mutating func begin(_ operation: UInt8) {
        writer.append(arrayHeader: 2)
        writer.append(integer: operation)
    }

    /// Begins to write what differs in a value.
    @usableFromInline
    mutating func beginPart() throws {
        let level = part.levelInside
        guard level + Self.insertLevels <= CBORLimits.maximumDepth else { throw tooDeep }
        outer.append(part)
        part = Part(start: writer.bytes.count, level: level)
    }

    private var tooDeep: EncodingError {
        let sentence =
            "a change inside of \(CBORLimits.maximumDepth) levels cannot be sent; nest the values less deeply"
        return .invalidValue(
            outer.count,
            EncodingError.Context(codingPath: [], debugDescription: sentence, underlyingError: NestingTooDeep())
        )
    }

    /// How many parts are around the present one.
    @usableFromInline var depth: Int { outer.count }

    /// Takes back a part that cannot be written because something in it is nested too deeply.
    ///
    /// - Parameter depth: That before the part began.
    /// - Throws: Any other error.
    @usableFromInline
    mutating func goBack(to depth: Int, after error: any Error) throws {
        guard NestingTooDeep.isCause(of: error) else { throw error }
        // It may not have begun.
        guard outer.count > depth else { return }
        let start = outer.count > depth + 1 ? outer[depth + 1].start : part.start
        part = outer[depth]
        outer.removeLast(outer.count - depth)
        takeBack(to: start)
    }

    /// - Returns: Whether anything differs.
    @usableFromInline
    mutating func endPart() -> Bool {
        defer { part = outer.removeLast() }
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
    @inlinable
    public mutating func field<Value: Patchable>(_ name: String, from old: Value, to new: Value) throws {
        beginEntry(name)
        if try !encode(from: old, to: new) { cancelEntry() }
    }

    /// A property of a type that is sent as a whole.
    @inlinable
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value, to new: Value) throws {
        beginEntry(name)
        if try !encode(from: old, to: new) { cancelEntry() }
    }

    /// An optional property, which is not there where it is nil.
    @inlinable
    public mutating func field<Value: Patchable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try field(name, from: old, to: new)
    }

    /// An optional property of a type that is sent as a whole.
    @inlinable
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try field(name, from: old, to: new)
    }

    @usableFromInline
    mutating func field(_ name: String, comesOrGoes new: (some Encodable)?, isThere: Bool) throws {
        if let new { try setEntry(name, new) } else if isThere { removeEntry(name) }
    }

    /// The payload of an enum that stays in its case, under the name of that.
    @inlinable
    public mutating func payload(of name: String, _ fields: (inout PatchEncoder) throws -> Void) throws {
        beginEntry(name)
        try beginPart()
        try fields(&self)
        if !endPart() { cancelEntry() }
    }

    @usableFromInline
    mutating func setEntry(_ name: String, _ value: some Encodable) throws {
        beginEntry(name)
        try append(whole: value)
    }

    @usableFromInline
    mutating func removeEntry(_ name: String) {
        beginEntry(name)
        writer.appendNull()
    }

    @usableFromInline
    mutating func beginEntry(_ name: String) {
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

    /// Takes back an entry whose value turned out to be the same.
    @usableFromInline
    mutating func cancelEntry() {
        guard case .fields(let count, let first) = part.form, let start = entries.popLast() else { return }
        if count == 1 {
            writer.bytes.removeLast(writer.bytes.count - part.start)
            part.form = .same
        } else {
            writer.bytes.removeLast(writer.bytes.count - start)
            part.form = .fields(count: count - 1, first: first)
        }
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
    @usableFromInline
    mutating func keep(_ start: Int, count: Int, ofOld oldCount: Int) {
        var pieces = takePieces(ofOld: oldCount)
        pieces.keep(start, count: count, &writer)
        part.form = .pieces(pieces)
    }

    /// A new element follows.
    @usableFromInline
    mutating func insert(_ element: some Encodable, ofOld oldCount: Int) throws {
        var pieces = takePieces(ofOld: oldCount)
        pieces.beginValue(&writer)
        part.form = .pieces(pieces)
        try encode(element, level: part.level + Self.insertLevels)
    }

    /// An element of the old array follows, changed or not.
    @inlinable
    mutating func keep<Element: Codable & Equatable>(
        _ position: Int,
        from old: Element,
        to new: Element,
        ofOld oldCount: Int
    ) throws {
        // Quick, and true of nearly all that are asked about.
        if _$hasSameBits(old, new) { return keep(position, count: 1, ofOld: oldCount) }
        try keepChanged(position, from: old, to: new, ofOld: oldCount)
    }

    @usableFromInline
    mutating func keepChanged<Element: Codable & Equatable>(
        _ position: Int,
        from old: Element,
        to new: Element,
        ofOld oldCount: Int
    ) throws {
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
