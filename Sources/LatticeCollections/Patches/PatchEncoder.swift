import LatticeCoding

/// Writes a ``Patch``, which contains only the differences between two values.
///
/// Nothing is written for a part without differences.
public struct PatchEncoder {
    /// A value whose changes are being written.
    private struct Part {
        enum Form {
            /// No difference has been found yet.
            case same
            /// The whole value is written.
            case set
            /// Entries are written: their number, and the index in ``PatchEncoder/entries`` of the first one.
            case fields(count: Int, first: Int)
            /// Pieces of an array are written.
            case pieces(PatchPieces)
        }

        /// The position at which the part starts.
        let start: Int
        /// The number of arrays and maps in the patch that contain the part's change.
        let level: Int
        var form = Form.same

        /// The number of arrays and maps in the patch that contain a change of a part of this part.
        var levelInside: Int {
            switch form {
            case .same, .set: level
            case .fields: level + PatchEncoder.fieldLevels
            case .pieces: level + PatchEncoder.pieceLevels
            }
        }
    }

    /// The number of levels around the change of a field, and around the change of an element.
    private static let (fieldLevels, pieceLevels) = (2, 3)
    /// The number of levels around a value in its change, and around a new element in the change of its array.
    private static let (setLevels, insertLevels) = (1, 4)

    private var writer = CBORWriter()
    private var part = Part(start: 0, level: 0)
    /// The parts that contain the current part.
    private var outer: [Part] = []
    /// The positions of the keys of all entries of all open parts.
    private var entries: [Int] = []

    /// Creates an encoder.
    package init() {}

    /// The bytes of the patch.
    package var bytes: [UInt8] { writer.bytes }

    // MARK: A value

    // The generic functions here and in the decoder are inlinable, so that they are compiled for the types of a state
    // in the module that declares it. For 100,000 elements, a change of one then takes a tenth of the time.

    /// Writes what turns `old` into `new`. If the difference is nested too deeply, the whole value is written.
    /// - Returns: Whether the values differ.
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

    /// Writes what turns `old` into `new`, for a value whose type is found at run time to be ``Patchable`` or not.
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
        // The two types are identical.
        try encode(from: unsafeBitCast(old, to: Same.self), to: unsafeBitCast(new, to: Same.self))
    }

    /// Writes what turns `old` into `new`, as the change of the current part.
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

    /// Replaces the whole value.
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

    /// - Parameter level: The number of arrays and maps in the patch that contain the value.
    private mutating func encode(_ value: some Encodable, level: Int) throws {
        writer.level = level
        do {
            try CBOREncoder.append(value, to: &writer)
        } catch {
            throw CodingFailure.place(error, within: openNames)
        }
    }

    /// The keys that lead to the value that is being written.
    private var openNames: [String] {
        (outer + [part]).compactMap { part in
            guard case .fields(let count, let first) = part.form else { return nil }
            return writer.bytes.withUnsafeBytes { bytes in
                var reader = CBORReader(bytes, offset: entries[first + count - 1])
                return try? reader.text()
            }
        }
    }

    /// Starts a change with an operation.
    private mutating func begin(_ operation: UInt8) {
        writer.append(arrayHeader: 2)
        writer.append(integer: operation)
    }

    /// Starts to write the differences in a value.
    @usableFromInline
    mutating func beginPart() throws {
        let level = part.levelInside
        guard level + Self.insertLevels <= CBORLimits.maximumDepth else { throw tooDeep }
        outer.append(part)
        part = Part(start: writer.bytes.count, level: level)
    }

    private var tooDeep: EncodingError {
        let sentence =
            "a change at more than \(CBORLimits.maximumDepth) levels cannot be sent; nest the values less deeply"
        return .invalidValue(
            outer.count,
            EncodingError.Context(codingPath: [], debugDescription: sentence, underlyingError: NestingTooDeep())
        )
    }

    /// The number of parts that contain the current one.
    @usableFromInline var depth: Int { outer.count }

    /// Removes a part that cannot be written because something in it is nested too deeply.
    ///
    /// - Parameter depth: The depth before the part was started.
    /// - Throws: The error, if it has another cause.
    @usableFromInline
    mutating func goBack(to depth: Int, after error: any Error) throws {
        guard NestingTooDeep.isCause(of: error) else { throw error }
        // The part may not have been started.
        guard outer.count > depth else { return }
        let start = outer.count > depth + 1 ? outer[depth + 1].start : part.start
        part = outer[depth]
        outer.removeLast(outer.count - depth)
        takeBack(to: start)
    }

    /// Ends the current part.
    /// - Returns: Whether the values differ.
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
    /// Writes the change of a property under the name that it has in the encoding.
    @inlinable
    public mutating func field<Value: Patchable>(_ name: String, from old: Value, to new: Value) throws {
        beginEntry(name)
        if try !encode(from: old, to: new) { cancelEntry() }
    }

    /// Writes the change of a property of a type that is sent as a whole.
    @inlinable
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value, to new: Value) throws {
        beginEntry(name)
        if try !encode(from: old, to: new) { cancelEntry() }
    }

    /// Writes the change of an optional property, which is omitted from the encoding if it is nil.
    @inlinable
    public mutating func field<Value: Patchable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try field(name, from: old, to: new)
    }

    /// Writes the change of an optional property of a type that is sent as a whole.
    @inlinable
    public mutating func field<Value: Codable & Equatable>(_ name: String, from old: Value?, to new: Value?) throws {
        guard let old, let new else { return try field(name, comesOrGoes: new, isThere: old != nil) }
        try field(name, from: old, to: new)
    }

    @usableFromInline
    mutating func field(_ name: String, comesOrGoes new: (some Encodable)?, isThere: Bool) throws {
        if let new { try setEntry(name, new) } else if isThere { removeEntry(name) }
    }

    /// Writes the change of the payload of an enum that stays in its case, under the name of the case.
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

    /// Removes an entry whose value turned out to be unchanged.
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

    /// Sorts the entries by their keys. Entries that are already sorted, such as those of a dictionary, are not moved.
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
    /// Writes that a range of elements of the old array follows unchanged.
    @usableFromInline
    mutating func keep(_ start: Int, count: Int, ofOld oldCount: Int) {
        var pieces = takePieces(ofOld: oldCount)
        pieces.keep(start, count: count, &writer)
        part.form = .pieces(pieces)
    }

    /// Writes that a new element follows.
    @usableFromInline
    mutating func insert(_ element: some Encodable, ofOld oldCount: Int) throws {
        var pieces = takePieces(ofOld: oldCount)
        pieces.beginValue(&writer)
        part.form = .pieces(pieces)
        try encode(element, level: part.level + Self.insertLevels)
    }

    /// Writes that an element of the old array follows, with its change if there is one.
    @inlinable
    mutating func keep<Element: Codable & Equatable>(
        _ position: Int,
        from old: Element,
        to new: Element,
        ofOld oldCount: Int
    ) throws {
        // This comparison is fast and succeeds for nearly all elements.
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
