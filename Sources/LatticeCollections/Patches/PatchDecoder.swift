import LatticeCoding

/// Reads a ``Patch`` and applies it to values.
///
/// Invalid input never traps. A patch that does not match the value causes a `DecodingError`.
public struct PatchDecoder {
    private var reader: CBORReader
    private var depth = 0

    /// Creates a decoder.
    /// - Parameter bytes: The bytes of the patch, which must stay valid as long as the decoder.
    package init(_ bytes: UnsafeRawBufferPointer) {
        reader = CBORReader(bytes)
    }

    /// Checks that all bytes have been read.
    package func finish() throws {
        do throws(CBORError) {
            try reader.finish()
        } catch {
            throw mismatch(error.sentence)
        }
    }

    // MARK: A value

    /// Applies the next change to a value. If an error is thrown, the value is in an undefined state.
    @inlinable
    public mutating func apply<Value: Patchable>(to value: inout Value) throws {
        if try nextOperation() == 0 {
            try beginChange()
            value = try decode()
        } else {
            try enter()
            try value.apply(&self)
            leave()
        }
    }

    /// Applies the next change to a value of a type that is sent as a whole.
    @inlinable
    public mutating func apply<Value: Codable & Equatable>(to value: inout Value) throws {
        if let type = Value.self as? any Patchable.Type { return try apply(to: &value, as: type) }
        guard try nextOperation() == 0 else { throw mismatch("\(Value.self) can only be replaced as a whole") }
        try beginChange()
        value = try decode()
    }

    @usableFromInline
    mutating func apply<Value, Same: Patchable>(to value: inout Value, as type: Same.Type) throws {
        try withUnsafeMutablePointer(to: &value) { pointer in
            // The two types are identical.
            try pointer.withMemoryRebound(to: Same.self, capacity: 1) { try apply(to: &$0.pointee) }
        }
    }

    /// Applies the next change to an optional property. A null sets the property to nil.
    @inlinable
    public mutating func apply<Value: Patchable>(to value: inout Value?) throws {
        try applyOptional(to: &value) { patch, value in try patch.apply(to: &value) }
    }

    /// Applies the next change to an optional property of a type that is sent as a whole.
    @inlinable
    public mutating func apply<Value: Codable & Equatable>(to value: inout Value?) throws {
        try applyOptional(to: &value) { patch, value in try patch.apply(to: &value) }
    }

    /// Applies the next change to an optional value.
    /// - Parameter isEntry: Whether nil means that a key is removed. For a property, a null means nil at any level of
    ///   nested optionals, as in ordinary decoding.
    @inlinable
    mutating func applyOptional<Value: Decodable>(
        to value: inout Value?,
        isEntry: Bool = false,
        _ change: (inout PatchDecoder, inout Value) throws -> Void
    ) throws {
        if takeNull() {
            value = nil
        } else if try nextOperation() == 0 {
            try beginChange()
            if !isEntry, takeNull() {
                value = nil
            } else {
                let new: Value = try decode()
                value = new
            }
        } else {
            // The value is moved out during the change, so that the change does not copy its contents.
            guard var present = value.take() else { throw mismatch("there is no value to change") }
            try change(&self, &present)
            value = present
        }
    }

    /// Applies the next change to the value of a key: the key is removed, added or changed.
    @inlinable
    mutating func applyEntry<Value: Codable & Equatable>(to value: inout Value?) throws {
        try applyOptional(to: &value, isEntry: true) { patch, value in try patch.apply(to: &value) }
    }

    /// Decodes a whole value.
    /// - Throws: A `DecodingError`.
    @usableFromInline
    mutating func decode<Value: Decodable>() throws -> Value {
        let start = reader.offset
        try read { reader throws(CBORError) in try reader.skip() }
        return try CBORDecoder().decode(
            Value.self,
            from: UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset])
        )
    }

    // MARK: Operations

    /// Returns the operation of the next change without reading it.
    @usableFromInline
    func nextOperation() throws -> UInt64 {
        var ahead = self
        return try ahead.beginChange()
    }

    /// Reads the head of a change.
    /// - Returns: The operation of the change.
    @discardableResult
    @usableFromInline
    mutating func beginChange() throws -> UInt64 {
        try read { reader throws(CBORError) in
            let count = try reader.arrayHeader()
            return count == 2 ? try reader.unsigned() : .max
        }
    }

    /// Returns whether the next value is a null, and reads it in that case.
    @usableFromInline
    mutating func takeNull() -> Bool {
        guard reader.offset < reader.bytes.count, reader.bytes[reader.offset] == 0xf6 else { return false }
        reader.offset += 1
        return true
    }

    /// Enters a nested value. If an error is thrown, the decoder must not be used again.
    @usableFromInline
    mutating func enter() throws {
        guard depth < CBORLimits.maximumDepth else { throw mismatch("it is nested more than \(depth) levels deep") }
        depth += 1
    }

    @usableFromInline
    mutating func leave() {
        depth -= 1
    }

    mutating func read<Result>(_ body: (inout CBORReader) throws(CBORError) -> Result) throws -> Result {
        do throws(CBORError) {
            return try body(&reader)
        } catch {
            throw mismatch(error.sentence)
        }
    }

    /// Returns the error for a change that does not match the value.
    /// - Parameter sentence: A description of the mismatch.
    public func mismatch(_ sentence: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "the patch does not fit at byte \(reader.offset): \(sentence)"
            )
        )
    }

    /// Returns the error for a field that the value does not have.
    public func unknownField(_ name: String) -> DecodingError { mismatch("there is no field \"\(name)\"") }
}

// MARK: Fields and pieces

extension PatchDecoder {
    /// Iterates over the changed fields.
    /// - Parameter body: Called with the name of each field. It must apply the change of the field.
    @inlinable
    public mutating func fields(_ body: (String, inout PatchDecoder) throws -> Void) throws {
        var last: String?
        for _ in 0..<(try beginFields()) {
            let name = try nextName()
            if let last, !String._precedes(last, name) {
                throw mismatch("the key \"\(name)\" comes after \"\(last)\", but keys must be in ascending order")
            }
            last = name
            try body(name, &self)
        }
    }

    @usableFromInline
    mutating func beginFields() throws -> Int {
        guard try beginChange() == 1 else { throw mismatch("expected a change of fields") }
        return try read { reader throws(CBORError) in try reader.mapHeader() }
    }

    @usableFromInline
    mutating func nextName() throws -> String {
        try read { reader throws(CBORError) in try reader.text() }
    }

    /// Iterates over the changed fields of the payload of a case.
    @inlinable
    public mutating func payload(_ body: (String, inout PatchDecoder) throws -> Void) throws {
        try enter()
        try fields(body)
        leave()
    }

    /// A piece of a changed array.
    @usableFromInline
    enum Piece {
        /// A range of elements of the old array.
        case kept(Range<Int>)
        /// A number of new values, which follow.
        case values(Int)
        /// An element of the old array with a change, which follows.
        case changed(Int)
    }

    /// Iterates over the pieces of the changed array. Each old element occurs in at most one of them.
    /// - Parameter body: Called with each piece. It must read what follows the piece.
    @inlinable
    mutating func pieces(ofOld oldCount: Int, _ body: (Piece, inout PatchDecoder) throws -> Void) throws {
        var used = UsedElements()
        for _ in 0..<(try beginPieces()) {
            let piece = try nextPiece(ofOld: oldCount)
            switch piece {
            case .kept(let range): used.add(range)
            case .changed(let position): used.add(position..<(position + 1))
            case .values: break
            }
            guard used.count <= oldCount else { throw mismatch("the pieces use more than \(oldCount) old elements") }
            try body(piece, &self)
        }
        guard used.isEachOnce else { throw mismatch("an old element is used twice") }
    }

    /// The old elements that the pieces of an array have used.
    @usableFromInline
    struct UsedElements {
        private var ranges: [Range<Int>] = []
        private var isAscending = true
        @usableFromInline private(set) var count = 0

        @usableFromInline
        init() {}

        @usableFromInline
        mutating func add(_ range: Range<Int>) {
            if let last = ranges.last, range.lowerBound < last.upperBound { isAscending = false }
            ranges.append(range)
            count += range.count
        }

        /// Whether no element was used twice.
        /// - Complexity: O(*n* log *n*) if pieces were moved.
        @usableFromInline var isEachOnce: Bool {
            if isAscending { return true }
            let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
            return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
        }
    }

    @usableFromInline
    mutating func beginPieces() throws -> Int {
        guard try beginChange() == 2 else { throw mismatch("expected a change of elements") }
        return try read { reader throws(CBORError) in try reader.arrayHeader() }
    }

    @usableFromInline
    mutating func nextPiece(ofOld oldCount: Int) throws -> Piece {
        var (start, count): (UInt64, UInt64) = (0, 1)
        let (fields, operation) = try read { reader throws(CBORError) in
            let fields = try reader.arrayHeader()
            let operation = try reader.unsigned()
            if operation != 1 { start = try reader.unsigned() }
            if operation == 0 { count = try reader.unsigned() }
            if operation == 1 { count = UInt64(try reader.arrayHeader()) }
            return (fields, operation)
        }
        guard fields == (operation == 1 ? 2 : 3), operation <= 2, count >= 1 else {
            throw mismatch("the piece is not valid")
        }
        if operation == 1 { return .values(Int(count)) }
        let (end, isTooFar) = start.addingReportingOverflow(count)
        guard !isTooFar, end <= UInt64(oldCount) else {
            throw mismatch("elements \(start)..<\(end) are used, but the old array has \(oldCount)")
        }
        return operation == 0 ? .kept(Int(start)..<Int(end)) : .changed(Int(start))
    }
}
