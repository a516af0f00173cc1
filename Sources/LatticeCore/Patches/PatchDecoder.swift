import LatticeCoding

/// Reads a ``Patch`` and changes values as it says.
///
/// Nothing that it reads makes it trap: whatever does not fit is a `DecodingError`.
public struct PatchDecoder {
    private var reader: CBORReader
    private var depth = 0

    /// - Parameter bytes: Valid as long as this.
    package init(_ bytes: UnsafeRawBufferPointer) {
        reader = CBORReader(bytes)
    }

    package func finish() throws {
        do throws(CBORError) {
            try reader.finish()
        } catch {
            throw mismatch(error.sentence)
        }
    }

    // MARK: A value

    /// Changes a value as the change says that comes next. After an error the value is of no use.
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

    /// The same for a type that is sent as a whole.
    @inlinable
    public mutating func apply<Value: Codable & Equatable>(to value: inout Value) throws {
        if let type = Value.self as? any Patchable.Type { return try apply(to: &value, as: type) }
        guard try nextOperation() == 0 else { throw mismatch("\(Value.self) is changed as a whole") }
        try beginChange()
        value = try decode()
    }

    @usableFromInline
    mutating func apply<Value, Same: Patchable>(to value: inout Value, as type: Same.Type) throws {
        try withUnsafeMutablePointer(to: &value) { pointer in
            // The same type by two names.
            try pointer.withMemoryRebound(to: Same.self, capacity: 1) { try apply(to: &$0.pointee) }
        }
    }

    /// An optional property, which is gone where there is nothing.
    @inlinable
    public mutating func apply<Value: Patchable>(to value: inout Value?) throws {
        try applyOptional(to: &value) { patch, value in try patch.apply(to: &value) }
    }

    /// The same for a type that is sent as a whole.
    @inlinable
    public mutating func apply<Value: Codable & Equatable>(to value: inout Value?) throws {
        try applyOptional(to: &value) { patch, value in try patch.apply(to: &value) }
    }

    /// - Parameter isEntry: Whether nil stands for a key that is not there. Of a property a null is nil, however many
    ///   optionals are around each other, as where it is decoded with all others.
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
            // Taken out meanwhile, so that what it holds is not copied.
            guard var present = value.take() else { throw mismatch("what is to be changed is not there") }
            try change(&self, &present)
            value = present
        }
    }

    /// What a key of a collection stands for: gone, new, or changed.
    @inlinable
    mutating func applyEntry<Value: Codable & Equatable>(to value: inout Value?) throws {
        try applyOptional(to: &value, isEntry: true) { patch, value in try patch.apply(to: &value) }
    }

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

    /// The operation of the change that comes next, which is not read.
    @usableFromInline
    func nextOperation() throws -> UInt64 {
        var ahead = self
        return try ahead.beginChange()
    }

    /// Reads the head of a change.
    /// - Returns: Its operation.
    @discardableResult
    @usableFromInline
    mutating func beginChange() throws -> UInt64 {
        try read { reader throws(CBORError) in
            let count = try reader.arrayHeader()
            return count == 2 ? try reader.unsigned() : .max
        }
    }

    /// Whether a null comes next, which is read then.
    @usableFromInline
    mutating func takeNull() -> Bool {
        guard reader.offset < reader.bytes.count, reader.bytes[reader.offset] == 0xf6 else { return false }
        reader.offset += 1
        return true
    }

    /// Goes into a value. After an error the decoder is of no use.
    @usableFromInline
    mutating func enter() throws {
        guard depth < CBORLimits.maximumDepth else { throw mismatch("it is more than \(depth) values deep") }
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

    /// The error for a change that does not fit the value.
    /// - Parameter sentence: What does not fit.
    public func mismatch(_ sentence: String) -> DecodingError {
        .dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription: "the patch does not fit at byte \(reader.offset): \(sentence)"
            )
        )
    }

    /// The error for a field that the value does not have.
    public func unknownField(_ name: String) -> DecodingError { mismatch("there is no field \"\(name)\"") }
}

// MARK: Fields and pieces

extension PatchDecoder {
    /// Goes over the fields that are changed.
    /// - Parameter body: Called with the name of each; has to apply its change.
    @inlinable
    public mutating func fields(_ body: (String, inout PatchDecoder) throws -> Void) throws {
        var last: String?
        for _ in 0..<(try beginFields()) {
            let name = try nextName()
            if let last, !String._precedes(last, name) {
                throw mismatch("the key \"\(name)\" comes behind \"\(last)\", and keys ascend")
            }
            last = name
            try body(name, &self)
        }
    }

    @usableFromInline
    mutating func beginFields() throws -> Int {
        guard try beginChange() == 1 else { throw mismatch("fields are to be changed") }
        return try read { reader throws(CBORError) in try reader.mapHeader() }
    }

    @usableFromInline
    mutating func nextName() throws -> String {
        try read { reader throws(CBORError) in try reader.text() }
    }

    /// Goes over the fields of the payload of a case.
    @inlinable
    public mutating func payload(_ body: (String, inout PatchDecoder) throws -> Void) throws {
        try enter()
        try fields(body)
        leave()
    }

    /// A piece of an array.
    @usableFromInline
    enum Piece {
        /// Old elements.
        case kept(Range<Int>)
        /// So many values follow.
        case values(Int)
        /// A change of an old element follows.
        case changed(Int)
    }

    /// Goes over the pieces that the array is made of now. Each old element is in one of them at most.
    /// - Parameter body: Has to read what follows a piece.
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
            guard used.count <= oldCount else { throw mismatch("more than the \(oldCount) old elements are used") }
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

        /// - Complexity: O(*n* log *n*) where pieces were moved.
        @usableFromInline var isEachOnce: Bool {
            if isAscending { return true }
            let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
            return zip(sorted, sorted.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
        }
    }

    @usableFromInline
    mutating func beginPieces() throws -> Int {
        guard try beginChange() == 2 else { throw mismatch("elements are to be changed") }
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
            throw mismatch("there is no such piece")
        }
        if operation == 1 { return .values(Int(count)) }
        let (end, isTooFar) = start.addingReportingOverflow(count)
        guard !isTooFar, end <= UInt64(oldCount) else {
            throw mismatch("elements \(start)..<\(end) are used of \(oldCount)")
        }
        return operation == 0 ? .kept(Int(start)..<Int(end)) : .changed(Int(start))
    }
}
