/// Codes the values of one type without the code that the type has for that.
final class DirectCoder: Sendable {
    /// Appends the value at the address.
    let encode: @Sendable (UnsafeRawPointer, EncoderCore) throws -> Void
    /// Stores the value that begins at an offset at an address. Returns false if its bytes are not in the form in which
    /// they are written. The type's own code then reads them, or reports their fault.
    let decode: @Sendable (DecoderCore, Int, UnsafeMutableRawPointer) throws -> Bool

    private init<Value>(
        encode: @escaping @Sendable (Value, EncoderCore) throws -> Void,
        decode: @escaping @Sendable (DecoderCore, inout Int) throws -> Value?
    ) {
        self.encode = { address, core in try encode(address.assumingMemoryBound(to: Value.self).pointee, core) }
        self.decode = { core, offset, address in
            var offset = offset
            guard let value = try decode(core, &offset) else { return false }
            address.initializeMemory(as: Value.self, to: value)
            return true
        }
    }

    /// The coders of all types that have one. Each type is named, because a loop that does not know its types takes
    /// many times as long.
    static let all: [ObjectIdentifier: DirectCoder] = {
        var all: [ObjectIdentifier: DirectCoder] = [:]
        all.add(array: Bool.self)
        all.add(array: Int.self)
        all.add(array: Double.self)
        all.add(array: String.self)
        all.add(array: Float.self)
        all.add(array: Int8.self)
        all.add(array: Int16.self)
        all.add(array: Int32.self)
        all.add(array: Int64.self)
        all.add(array: UInt.self)
        all.add(array: UInt16.self)
        all.add(array: UInt32.self)
        all.add(array: UInt64.self)
        all.add(set: Int.self)
        all.add(set: String.self)
        all.add(set: Int64.self)
        all.add(set: UInt64.self)
        all.add(set: UInt32.self)
        all.add(set: Double.self)
        all.add(dictionary: Bool.self)
        all.add(dictionary: Double.self)
        all.add(dictionary: Int.self)
        all.add(dictionary: Int64.self)
        all.add(dictionary: String.self)
        all.add(dictionary: UInt64.self)
        return all
    }()

    fileprivate static func array<Element: CodablePrimitive>(_ element: Element.Type) -> DirectCoder {
        DirectCoder(encode: { try $1.append($0) }, decode: { try $0.array(of: Element.self, &$1) })
    }

    fileprivate static func set<Element: CodablePrimitive & Hashable>(_ element: Element.Type) -> DirectCoder {
        DirectCoder(encode: { try $1.append($0) }, decode: { $0.set(of: Element.self, &$1) })
    }

    /// Returns the coder of a dictionary with text keys.
    fileprivate static func dictionary<Value: CodablePrimitive>(_ value: Value.Type) -> DirectCoder {
        DirectCoder(
            encode: { (dictionary: [String: Value], core) in
                core.append(dictionary) { $0.append(text: $1) }
            },
            decode: { $0.dictionary(of: Value.self, &$1) { $0 } }
        )
    }

    /// Returns the coder of a dictionary with integer keys, which are written as text.
    fileprivate static func numbered<Value: CodablePrimitive>(_ value: Value.Type) -> DirectCoder {
        DirectCoder(
            encode: { (dictionary: [Int: Value], core) in
                core.append(dictionary) { $0.append(text: String($1)) }
            },
            decode: { $0.dictionary(of: Value.self, &$1) { Int($0) } }
        )
    }
}

extension [ObjectIdentifier: DirectCoder] {
    fileprivate mutating func add<Element: CodablePrimitive>(array element: Element.Type) {
        self[ObjectIdentifier([Element].self)] = DirectCoder.array(element)
    }

    fileprivate mutating func add<Element: CodablePrimitive & Hashable>(set element: Element.Type) {
        self[ObjectIdentifier(Set<Element>.self)] = DirectCoder.set(element)
    }

    fileprivate mutating func add<Content: CodablePrimitive>(dictionary content: Content.Type) {
        self[ObjectIdentifier([String: Content].self)] = DirectCoder.dictionary(content)
        self[ObjectIdentifier([Int: Content].self)] = DirectCoder.numbered(content)
    }
}

extension EncoderCore {
    @inline(__always)
    func append(_ array: [some CodablePrimitive]) throws {
        guard frames.count + outerDepth < CBORLimits.maximumDepth else { throw tooDeep() }
        writer.append(arrayHeader: array.count)
        for element in array {
            element.write(to: &writer)
            steps.step()
        }
    }

    @inline(__always)
    func append<Element: CodablePrimitive>(_ set: Set<Element>) throws {
        _ = open(isMap: false, count: set.count)
        frames[frames.count - 1].valuesPerElement = 1
        entries.reserveCapacity(entries.count + set.count)
        var loader = DistantLoader(set.makeIterator())
        for element in set {
            loader.step()
            entries.append(writer.bytes.count)
            element.write(to: &writer)
            steps.step()
        }
        frames[frames.count - 1].count = set.count
        closeTop()
    }

    @inline(__always)
    func append<Key: CodablePrimitive, Value: CodablePrimitive>(
        _ dictionary: [Key: Value],
        _ appendKey: (inout CBORWriter, Key) -> Void
    ) {
        _ = open(isMap: true, count: dictionary.count)
        entries.reserveCapacity(entries.count + dictionary.count)
        var loader = DistantLoader(dictionary.makeIterator())
        for (key, value) in dictionary {
            loader.step()
            entries.append(writer.bytes.count)
            appendKey(&writer, key)
            value.write(to: &writer)
            steps.step()
        }
        frames[frames.count - 1].count = dictionary.count
        closeTop()
    }
}

// These methods return nil for any other form or fault. The general decoder then reads the value, and reports faults.
extension DecoderCore {
    /// Returns the number of elements for which memory is reserved. It is limited by the number of bytes, so that
    /// elements that are larger in memory than as bytes do not take much more only because a head announces them.
    private func expected(_ count: Int) -> Int { min(count, bytes.count / 8) }

    @inline(__always)
    func set<Element: CodablePrimitive & Hashable>(of type: Element.Type, _ offset: inout Int) -> Set<Element>? {
        guard let count = try? arrayHeader(Set<Element>.self, &offset) else { return nil }
        var set = Set<Element>(minimumCapacity: expected(count))
        var coming: ContiguousArray<Element> = []
        for _ in 0..<count {
            guard let element = try? Element.read(from: self, at: &offset) else { return nil }
            if count > DistantPlaces.few {
                coming.append(element)
                if coming.count == DistantPlaces.stride { set.take(&coming) }
            } else {
                set.insert(element)
            }
            steps.step()
        }
        if !coming.isEmpty { set.take(&coming) }
        return set
    }

    /// Reads a dictionary, or returns nil unless its keys are ascending text.
    @inline(__always)
    func dictionary<Key, Value: CodablePrimitive>(
        of type: Value.Type,
        _ offset: inout Int,
        _ key: (String) -> Key?
    ) -> [Key: Value]? {
        skipTags(&offset)
        var reader = CBORReader(bytes, offset: offset)
        guard let count = try? reader.mapHeader() else { return nil }
        var dictionary = [Key: Value](minimumCapacity: expected(count))
        var coming: ContiguousArray<(key: Key, value: Value)> = []
        var last = UnsafeRawBufferPointer(rebasing: bytes[..<0])
        for index in 0..<count {
            guard reader.nextIsText, let name = try? reader.content(3, ""),
                index == 0 || CBORReader.precedes(last, name),
                let key = CBORReader.string(name).flatMap(key),
                let value = try? Value.read(from: self, at: &reader.offset)
            else { return nil }
            if count > DistantPlaces.few {
                coming.append((key, value))
                if coming.count == DistantPlaces.stride { dictionary.take(&coming) }
            } else {
                dictionary[key] = value
            }
            last = name
            steps.step()
        }
        if !coming.isEmpty { dictionary.take(&coming) }
        offset = reader.offset
        return dictionary
    }
}
