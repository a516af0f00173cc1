extension CBORWriter {
    /// Appends a value that writes itself.
    @inlinable @inline(__always)
    public mutating func encode<Value: WireCodable>(_ value: Value) throws { try value.encode(to: &self) }

    /// Appends a value of any type, by its `Encodable` code.
    ///
    /// - Throws: An `EncodingError` with the path of the value that cannot be encoded.
    public mutating func encode<Value: Encodable>(_ value: Value) throws { try encodeByCode(value) }

    /// Appends null.
    public mutating func encodeNil() { appendNull() }

    /// Appends a map with the entries that `body` adds.
    ///
    /// - Parameter body: Adds the entries.
    /// - Throws: The error that `body` throws, and an `EncodingError` if the map is inside 128 other maps and arrays.
    @inlinable
    public mutating func encodeMap(_ body: (inout CBORMapWriter) throws -> Void) throws {
        try enter()
        var map = CBORMapWriter(behind: &self)
        defer { map.giveBack(&self) }
        try body(&map)
        map.complete()
    }

    /// Appends an array.
    ///
    /// - Parameters:
    ///   - count: The number of elements.
    ///   - body: Appends exactly that number of elements.
    /// - Throws: The error that `body` throws, and an `EncodingError` if the array is inside 128 other maps and arrays.
    @inlinable
    public mutating func encodeArray(count: Int, _ body: (inout CBORWriter) throws -> Void) throws {
        try enter()
        defer { level -= 1 }
        append(arrayHeader: count)
        try body(&self)
    }

    /// Appends an element. An error contains the element's index.
    @inlinable @inline(__always)
    mutating func encodeElement<Value: WireCodable>(_ value: Value, at index: Int) throws {
        do {
            try value.encode(to: &self)
            step()
        } catch {
            throw coded(error, at: index)
        }
    }

    @inlinable @inline(__always)
    func step() { if steps != nil { countStep() } }

    @usableFromInline
    func countStep() { steps?.step() }

    @usableFromInline
    mutating func enter() throws {
        guard level < CBORLimits.maximumDepth else { throw EncoderCore.tooDeep(at: []) }
        level += 1
    }

    /// Appends a value that does not write itself, or that has no better way to do so than the coder.
    @usableFromInline
    mutating func encodeByCode<Value: Encodable>(_ value: Value) throws {
        try CBOREncoder.append(value, to: &self)
    }
}

/// Appends the entries of a map.
///
/// Keys that do not ascend are sorted at the end. Of two entries with equal keys, the later one remains.
public struct CBORMapWriter {
    @usableFromInline var writer = CBORWriter()
    private let start: Int
    @usableFromInline var count = 0
    @usableFromInline var lastKey = UnsafeRawBufferPointer("" as StaticString)
    @usableFromInline var isAscending = true

    @usableFromInline
    init(behind writer: inout CBORWriter) {
        swap(&self.writer, &writer)
        start = self.writer.bytes.count
        self.writer.append(mapHeader: 0)
    }

    @usableFromInline
    mutating func complete() {
        if !isAscending { count = writer.sortEntries(count, from: start + 1) }
        writer.complete(head: 0xa0, at: start, count: count)
    }

    @usableFromInline
    mutating func giveBack(_ writer: inout CBORWriter) {
        self.writer.level -= 1
        swap(&self.writer, &writer)
    }

    /// Appends an entry with a value that writes itself.
    @inlinable @inline(__always)
    public mutating func encode<Value: WireCodable>(_ value: Value, forKey key: StaticString) throws {
        append(key: key)
        do { try value.encode(to: &writer) } catch { throw coded(error, under: key) }
    }

    /// Appends an entry with a value of any type.
    public mutating func encode<Value: Encodable>(_ value: Value, forKey key: StaticString) throws {
        append(key: key)
        do { try writer.encodeByCode(value) } catch { throw coded(error, under: key) }
    }

    /// Appends an entry if there is a value.
    @inlinable @inline(__always)
    public mutating func encodeIfPresent<Value: WireCodable>(_ value: Value?, forKey key: StaticString) throws {
        if let value { try encode(value, forKey: key) }
    }

    /// Appends an entry with a value of any type, if there is one.
    public mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: StaticString) throws {
        if let value { try encode(value, forKey: key) }
    }

    // The key is known where this method is inlined, and so are the bytes that are stored.
    @inlinable @inline(__always)
    mutating func append(key: StaticString) {
        guard key.hasPointerRepresentation, key.utf8CodeUnitCount < 24 else { return append(otherKey: key) }
        let text = UnsafeRawBufferPointer(key)
        writer.append(atMost: 1 + text.count) { place in
            place.storeBytes(of: 0x60 | UInt8(truncatingIfNeeded: text.count), as: UInt8.self)
            for index in 0..<text.count { place.storeBytes(of: text[index], toByteOffset: 1 + index, as: UInt8.self) }
            return 1 + text.count
        }
        didAppend(text)
    }

    @usableFromInline @inline(never)
    mutating func append(otherKey key: StaticString) {
        writer.append(text: "\(key)")
        guard !key.hasPointerRepresentation else { return didAppend(UnsafeRawBufferPointer(key)) }
        // The key has no address in memory at which the next key could be compared with it.
        writer.step()
        isAscending = false
        count += 1
    }

    @inlinable @inline(__always)
    mutating func didAppend(_ key: UnsafeRawBufferPointer) {
        writer.step()
        // A longer key comes after a shorter one, so in most cases the length decides.
        if key.count <= lastKey.count, count > 0 {
            isAscending = isAscending && CBORReader.ascend(lastKey, key)
        }
        lastKey = key
        count += 1
    }
}

extension CBORWriter {
    /// Sorts the entries of a map, which are the last part of the bytes, by their keys.
    ///
    /// - Returns: The number of remaining entries.
    fileprivate mutating func sortEntries(_ count: Int, from start: Int) -> Int {
        let starts = bytes.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes, offset: start)
            return (0..<count).map { _ in
                defer {
                    // Both were written by this writer, so they are well-formed.
                    try? reader.skip()
                    try? reader.skip()
                }
                return reader.offset
            }
        }
        return sort(starts[...], valuesPerPiece: 1, from: start, mayRepeat: true, steps ?? CodingSteps())
    }
}
