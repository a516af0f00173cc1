extension CBORReader {
    /// Reads a value that reads itself.
    ///
    /// - Throws: `DecodingError` for bytes that are not such a value.
    @inlinable @inline(__always)
    public mutating func decode<Value: WireCodable>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(from: &self)
    }

    /// Reads a value of any type, by its `Decodable` code.
    ///
    /// - Throws: `DecodingError` for bytes that are not such a value, and the error that the value's code throws.
    public mutating func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decodeByCode()
    }

    /// Skips a null if it comes next. Returns whether it did.
    @inlinable
    public mutating func decodeNil() -> Bool {
        guard offset < bytes.count, bytes[offset] == 0xf6 || bytes[offset] == 0xf7 else { return false }
        offset += 1
        return true
    }

    /// Begins to read the map that comes next.
    ///
    /// - Returns: A reader of the map's entries. Pass it to ``end(_:)`` afterwards.
    /// - Throws: `DecodingError` if the next value is not a map.
    public mutating func decodeMap() throws -> CBORMapReader {
        var reader = self
        do throws(CBORError) {
            let map = try CBORMapReader(&reader)
            openMaps += 1
            return map
        } catch {
            throw failure(error, [String: Any].self)
        }
    }

    /// Moves the reader after a map, and skips the entries that were not read.
    ///
    /// - Throws: `DecodingError` if one of these entries is malformed, or if a key occurs twice.
    public mutating func end(_ map: borrowing CBORMapReader) throws {
        openMaps -= 1
        hasFailed = hasFailed || map.reader.hasFailed || map.reader.openMaps != 0
        do throws(CBORError) { offset = try map.end() } catch {
            hasFailed = true
            throw DecodingError.corrupted(error, path: [])
        }
    }

    /// Reads an array of values that read themselves.
    ///
    /// - Throws: `DecodingError` if the next value is not such an array.
    @inlinable
    public mutating func decodeArray<Element: WireCodable>(of type: Element.Type = Element.self) throws -> [Element] {
        let count = try enterArray()
        var elements: [Element] = []
        // Elements may take more memory than their bytes. The reservation is limited to the memory that the bytes take.
        elements.reserveCapacity(Swift.min(count, Swift.max(16, remaining / MemoryLayout<Element>.stride)))
        for index in 0..<count {
            do {
                elements.append(try Element(from: &self))
            } catch {
                hasFailed = true
                throw coded(error, at: index)
            }
        }
        level -= 1
        return elements
    }

    @usableFromInline
    mutating func enterArray() throws -> Int {
        guard level < CBORLimits.maximumDepth else {
            throw failure(.tooDeep(at: offset, maximum: CBORLimits.maximumDepth), [Any].self)
        }
        do throws(CBORError) {
            let count = try arrayHeader()
            level += 1
            return count
        } catch {
            throw failure(error, [Any].self)
        }
    }

    private mutating func failure(_ error: CBORError, _ type: Any.Type) -> DecodingError {
        hasFailed = true
        guard error.code == .unexpected else { return .corrupted(error, path: []) }
        let context = DecodingError.Context(codingPath: [], debugDescription: error.sentence, underlyingError: error)
        let isNull = offset < bytes.count && (bytes[offset] == 0xf6 || bytes[offset] == 0xf7)
        return isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Reads a value of a type that does not read itself, or a value in another form than the written one.
    @usableFromInline
    mutating func decodeByCode<Value: Decodable>() throws -> Value {
        let start = offset
        // A value that cannot be skipped cannot be read either.
        do throws(CBORError) { try skip() } catch {
            hasFailed = true
            throw DecodingError.corrupted(error, path: [])
        }
        return try CBORDecoder.read(Value.self, bytes, at: start)
    }

    // MARK: Written forms
    // These methods return nil for other forms, and then do not move the reader.

    @inlinable @inline(__always)
    mutating func plainInteger<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        var next = offset
        guard let head = CBORHead(bytes, at: &next), head.major < 2, let number = Number(exactly: head.argument),
            head.major == 0 || Number.isSigned
        else { return nil }
        offset = next
        return head.major == 0 ? number : ~number
    }

    @inlinable @inline(__always)
    mutating func plainBool() -> Bool? {
        guard offset < bytes.count, bytes[offset] == 0xf4 || bytes[offset] == 0xf5 else { return nil }
        defer { offset += 1 }
        return bytes[offset] == 0xf5
    }

    @usableFromInline
    mutating func plainDouble() -> Double? {
        var next = offset
        guard let head = CBORHead(bytes, at: &next), head.isFloat else { return nil }
        offset = next
        return head.float
    }

    @usableFromInline
    mutating func plainText() -> String? {
        var next = offset
        guard let head = CBORHead(bytes, at: &next), head.major == 3, head.argument <= UInt64(bytes.count - next)
        else { return nil }
        let end = next + Int(truncatingIfNeeded: head.argument)
        guard let text = CBORReader.string(UnsafeRawBufferPointer(rebasing: bytes[next..<end])) else { return nil }
        offset = end
        return text
    }
}

extension UnsafeRawBufferPointer {
    @inlinable @inline(__always)
    init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}

/// Reads the entries of a map, in any order. Reading them in the order of their bytes is fastest.
public struct CBORMapReader {
    @usableFromInline var reader: CBORReader
    /// The position at which the map begins.
    private let start: Int
    private let count: Int
    /// The number of entries that the reader has not reached; 0 once entries are looked up in ``entries``.
    @usableFromInline var left: Int
    /// The key that was found last, without its head.
    @usableFromInline var last: UnsafeRawBufferPointer
    /// A Boolean value that indicates whether the keys that the reader has passed ascend.
    @usableFromInline var areFoundAscending = true
    /// A Boolean value that indicates whether the remaining keys ascend; nil until it is needed.
    private var areRemainingAscending: Bool?
    /// The entries of the map. They are made when an entry is not at the expected position.
    private var entries: KeyedEntries?
    /// The expected index of the next entry. See ``KeyedEntries/value(of:_:_:)``.
    private var next = 0

    init(_ reader: inout CBORReader) throws(CBORError) {
        start = reader.offset
        guard reader.level < CBORLimits.maximumDepth else {
            throw .tooDeep(at: start, maximum: CBORLimits.maximumDepth)
        }
        count = try reader.mapHeader()
        left = count
        last = UnsafeRawBufferPointer(rebasing: reader.bytes[..<0])
        self.reader = reader
        self.reader.level += 1
        self.reader.hasFailed = false
        self.reader.openMaps = 0
    }

    /// Reads the value of a key.
    ///
    /// - Throws: `DecodingError` if there is no value, or if it has another type.
    @inlinable @inline(__always)
    public mutating func decode<Value: WireCodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value {
        try find(key)
        do { return try Value(from: &reader) } catch { throw failure(error, under: key) }
    }

    /// Reads the value of a key, of any type.
    ///
    /// - Throws: `DecodingError` if there is no value, or if it has another type, and the error that the value's code
    ///   throws.
    public mutating func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value {
        try find(key)
        do { return try reader.decodeByCode() } catch { throw failure(error, under: key) }
    }

    /// Reads the value of a key, or nil if there is no value or null.
    ///
    /// - Throws: `DecodingError` if the value has another type.
    @inlinable @inline(__always)
    public mutating func decodeIfPresent<Value: WireCodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value? {
        guard try contains(key), !reader.decodeNil() else { return nil }
        do { return try Value(from: &reader) } catch { throw failure(error, under: key) }
    }

    /// Reads the value of a key, of any type, or nil if there is no value or null.
    ///
    /// - Throws: `DecodingError` if the value has another type, and the error that the value's code throws.
    public mutating func decodeIfPresent<Value: Decodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value? {
        guard try contains(key), !reader.decodeNil() else { return nil }
        do { return try reader.decodeByCode() } catch { throw failure(error, under: key) }
    }

    @inlinable @inline(__always)
    mutating func find(_ key: StaticString) throws {
        guard try contains(key) else { throw CBORMapReader.missing(key) }
    }

    /// Returns the error of a value that could not be read, and records the failure.
    @usableFromInline @inline(never)
    mutating func failure(_ error: any Error, under key: StaticString) -> any Error {
        reader.hasFailed = true
        return coded(error, under: key)
    }

    @usableFromInline @inline(never)
    static func missing(_ key: StaticString) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: [],
            debugDescription: "There is no value for the key '\(key)'."
        )
        return .keyNotFound(CBORCodingKey.text("\(key)"), context)
    }

    /// Moves to the value of a key, if there is one.
    @inlinable @inline(__always)
    mutating func contains(_ key: StaticString) throws -> Bool {
        // The key is known where this method is inlined, so that checking whether it is the next one takes a few
        // comparisons of numbers. A call for that took a fifth of the time for decoding a small value.
        guard left > 0, key.hasPointerRepresentation, takeKey(UnsafeRawBufferPointer(key)) else {
            return try search(key)
        }
        return true
    }

    /// Moves the reader after the next key, if it is this one.
    @inlinable @inline(__always)
    mutating func takeKey(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count < 24, key.count < reader.remaining, let start = reader.bytes.baseAddress else { return false }
        let head = start + reader.offset
        guard head.load(as: UInt8.self) == 0x60 | UInt8(truncatingIfNeeded: key.count) else { return false }
        let found = UnsafeRawBufferPointer(start: head + 1, count: key.count)
        var difference: UInt8 = 0
        for index in 0..<key.count { difference |= found[index] ^ key[index] }
        guard difference == 0 else { return false }
        // A longer key comes after a shorter one, so in most cases the length decides.
        if key.count <= last.count { areFoundAscending = areFoundAscending && CBORReader.ascend(last, found) }
        last = found
        left -= 1
        reader.offset += 1 + key.count
        return true
    }

    @usableFromInline @inline(never)
    mutating func search(_ key: StaticString) throws -> Bool {
        if entries == nil, key.withUTF8Buffer({ isKnownAbsent(UnsafeRawBufferPointer($0)) }) { return false }
        let entries = try allEntries()
        guard let offset = entries.value(of: "\(key)", reader.bytes, &next) else { return false }
        reader.offset = offset
        return true
    }

    /// Returns whether a map with ascending keys lacks the key, because it would be between the last found key and the
    /// next one.
    private mutating func isKnownAbsent(_ key: UnsafeRawBufferPointer) -> Bool {
        guard left == count || CBORReader.precedes(last, key) else { return false }
        guard left > 0 else { return areFoundAscending }
        var reader = reader
        guard let next = try? reader.content(3, ""), CBORReader.precedes(key, next) else { return false }
        if areRemainingAscending == nil { areRemainingAscending = areRemainingKeysAscending() }
        return areFoundAscending && areRemainingAscending == true
    }

    private func areRemainingKeysAscending() -> Bool {
        var reader = reader
        var before: UnsafeRawBufferPointer?
        for _ in 0..<left {
            guard let key = try? reader.content(3, ""), before.map({ CBORReader.precedes($0, key) }) ?? true,
                (try? reader.skip()) != nil
            else { return false }
            before = key
        }
        return true
    }

    private mutating func allEntries() throws -> KeyedEntries {
        if let entries { return entries }
        do throws(CBORError) {
            var map = CBORReader(reader.bytes, offset: start)
            map.level = reader.level
            let entries = try KeyedEntries(&map, counting: nil)
            self.entries = entries
            left = 0
            return entries
        } catch {
            throw DecodingError.corrupted(error, path: [])
        }
    }

    /// Returns the position at which the map ends.
    fileprivate borrowing func end() throws(CBORError) -> Int {
        if entries == nil, left == 0 { return reader.offset }
        var map = CBORReader(reader.bytes, offset: start)
        map.level = reader.level
        _ = try KeyedEntries(&map, counting: nil)
        return map.offset
    }
}
