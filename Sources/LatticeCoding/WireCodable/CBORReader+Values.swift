extension CBORReader {
    /// Reads a value that reads itself.
    ///
    /// - Throws: `DecodingError` for bytes that are none.
    @inlinable @inline(__always)
    public mutating func decode<Value: WireCodable>(_ type: Value.Type = Value.self) throws -> Value {
        try Value(from: &self)
    }

    /// Reads a value of any type, by its own code.
    ///
    /// - Throws: `DecodingError` for bytes that are none, and what the value's code throws.
    public mutating func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try decodeByCode()
    }

    /// Reads over a null, if that comes next, and says whether it did.
    @inlinable
    public mutating func decodeNil() -> Bool {
        guard offset < bytes.count, bytes[offset] == 0xf6 || bytes[offset] == 0xf7 else { return false }
        offset += 1
        return true
    }

    /// Begins to read the map that comes next.
    ///
    /// - Returns: what its entries are taken from, and is given to ``end(_:)`` then.
    /// - Throws: `DecodingError` where something else comes next.
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

    /// Moves behind a map. Entries that nobody has asked for are read over.
    ///
    /// - Throws: `DecodingError` if one of these is none, or a key occurs twice.
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
    /// - Throws: `DecodingError` where something else comes next.
    @inlinable
    public mutating func decodeArray<Element: WireCodable>(of type: Element.Type = Element.self) throws -> [Element] {
        let count = try enterArray()
        var elements: [Element] = []
        // Elements take memory that the bytes do not: no more is reserved than the bytes would take themselves.
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

    /// Reads a value of a type that does not read itself, or one that is not in the form in which it is written.
    @usableFromInline
    mutating func decodeByCode<Value: Decodable>() throws -> Value {
        let start = offset
        // What cannot be read over cannot be read.
        do throws(CBORError) { try skip() } catch {
            hasFailed = true
            throw DecodingError.corrupted(error, path: [])
        }
        return try CBORDecoder.read(Value.self, bytes, at: start)
    }

    // MARK: Forms that are written. Nil for others; then the reader stays where it is.

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

/// Takes the entries of a map, in any order; those that ask in the order of the bytes are answered at once.
public struct CBORMapReader {
    @usableFromInline var reader: CBORReader
    /// Where the map begins.
    private let start: Int
    private let count: Int
    /// Entries that the reader has not come to; 0 once they are looked for in ``entries``.
    @usableFromInline var left: Int
    /// The key that was found last, without its head.
    @usableFromInline var last: UnsafeRawBufferPointer
    /// Whether the keys ascend that the reader has come to, one behind the other.
    @usableFromInline var areFoundAscending = true
    /// Whether the others do, and so whatever is left of them later; nil as long as nobody has to know.
    private var areLeftAscending: Bool?
    /// Made when an entry is not where it is looked for first.
    private var entries: KeyedEntries?
    /// See ``KeyedEntries/value(of:_:_:)``.
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
    /// - Throws: `DecodingError` if there is none, or one of another type.
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
    /// - Throws: `DecodingError` if there is none, or one of another type, and what the value's code throws.
    public mutating func decode<Value: Decodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value {
        try find(key)
        do { return try reader.decodeByCode() } catch { throw failure(error, under: key) }
    }

    /// Reads the value of a key; nil if there is none, or null.
    ///
    /// - Throws: `DecodingError` if there is one of another type.
    @inlinable @inline(__always)
    public mutating func decodeIfPresent<Value: WireCodable>(
        _ type: Value.Type = Value.self,
        forKey key: StaticString
    ) throws -> Value? {
        guard try contains(key), !reader.decodeNil() else { return nil }
        do { return try Value(from: &reader) } catch { throw failure(error, under: key) }
    }

    /// Reads the value of a key, of any type; nil if there is none, or null.
    ///
    /// - Throws: `DecodingError` if there is one of another type, and what the value's code throws.
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

    /// The error of a value that could not be read, which is noted.
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
        // The key is known where this is inlined: to look whether it is the next one are then a few comparisons of
        // numbers. A call for it took a fifth of the decoding of a small value.
        guard left > 0, key.hasPointerRepresentation, takeKey(UnsafeRawBufferPointer(key)) else {
            return try search(key)
        }
        return true
    }

    /// Moves behind the next key if it is this one.
    @inlinable @inline(__always)
    mutating func takeKey(_ key: UnsafeRawBufferPointer) -> Bool {
        guard key.count < 24, key.count < reader.remaining, let start = reader.bytes.baseAddress else { return false }
        let head = start + reader.offset
        guard head.load(as: UInt8.self) == 0x60 | UInt8(truncatingIfNeeded: key.count) else { return false }
        let found = UnsafeRawBufferPointer(start: head + 1, count: key.count)
        var difference: UInt8 = 0
        for index in 0..<key.count { difference |= found[index] ^ key[index] }
        guard difference == 0 else { return false }
        // A longer key goes behind a shorter one, which mostly says it.
        if key.count <= last.count { areFoundAscending = areFoundAscending && CBORReader.ascend(last, found) }
        last = found
        left -= 1
        reader.offset += 1 + key.count
        return true
    }

    @usableFromInline @inline(never)
    mutating func search(_ key: StaticString) throws -> Bool {
        if entries == nil, key.withUTF8Buffer({ isLeftOut(UnsafeRawBufferPointer($0)) }) { return false }
        let entries = try known()
        guard let offset = entries.value(of: "\(key)", reader.bytes, &next) else { return false }
        reader.offset = offset
        return true
    }

    /// Whether the key belongs between the one that was found last and the next one, in a map whose keys ascend.
    private mutating func isLeftOut(_ key: UnsafeRawBufferPointer) -> Bool {
        guard left == count || CBORReader.precedes(last, key) else { return false }
        guard left > 0 else { return areFoundAscending }
        var reader = reader
        guard let next = try? reader.content(3, ""), CBORReader.precedes(key, next) else { return false }
        if areLeftAscending == nil { areLeftAscending = checkLeft() }
        return areFoundAscending && areLeftAscending == true
    }

    private func checkLeft() -> Bool {
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

    private mutating func known() throws -> KeyedEntries {
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

    /// Where the map ends.
    fileprivate borrowing func end() throws(CBORError) -> Int {
        if entries == nil, left == 0 { return reader.offset }
        var map = CBORReader(reader.bytes, offset: start)
        map.level = reader.level
        _ = try KeyedEntries(&map, counting: nil)
        return map.offset
    }
}
