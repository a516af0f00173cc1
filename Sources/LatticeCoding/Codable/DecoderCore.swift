/// The state of one decoding. It belongs to one call and is never shared between threads.
final class DecoderCore {
    // Unchecked: the functions that access these never call the value's code meanwhile, so accesses never overlap. With
    // the checks of two of them, the decoding of a state of 200 elements took 287 µs instead of 264 µs.

    /// All bytes of the value. It is empty before and after the call.
    @exclusivity(unchecked) private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// The entries of the whole value, if it is a map.
    @exclusivity(unchecked) private var wholeEntries: KeyedEntries?
    @exclusivity(unchecked) var path: [any CodingKey] = []
    @exclusivity(unchecked) private var strategies = CodingStrategies<DecodingStrategy>()
    @exclusivity(unchecked) private var scopeDepth = 0
    private let fast = FastTypes()
    /// The memory in which values that read themselves are stored, one after the other as they are nested. After it
    /// there is room for one value of the most frequent types.
    private let scratch = UnsafeMutableRawPointer.allocate(
        byteCount: scratchSize + MemoryLayout<String>.size,
        alignment: scratchAlignment
    )
    @exclusivity(unchecked) private var scratchUsed = 0
    private static let (scratchSize, scratchAlignment) = (1024, 16)
    let steps = CodingSteps()
    /// The path at which the last error was thrown that passed through a container.
    @exclusivity(unchecked) private(set) var failurePath: [any CodingKey]?

    /// The object of one decoding, which is kept for the next one. Creating it costs more than reading a small value.
    private static let spare = SpareObjects<DecoderCore>()

    deinit {
        scratch.deallocate()
    }

    /// Calls `body` with a core in its initial state that reads these bytes. The core is kept for the next decoding,
    /// unless it is still referenced or had an error.
    @inline(__always)
    static func withSpare<Value>(
        reading bytes: UnsafeRawBufferPointer,
        observer: (any CodingObserver)? = nil,
        _ body: (DecoderCore) throws -> Value
    ) throws -> Value {
        let core = spare.take() ?? DecoderCore()
        core.bytes = bytes
        if let observer { core.steps.begin(observer) }
        do {
            let value = try body(core)
            core.end()
            keep(core)
            return value
        } catch {
            core.end()
            throw CodingFailure.wrap(error, at: core.failurePath)
        }
    }

    @inline(__always)
    private static func keep(_ core: consuming DecoderCore) {
        if isKnownUniquelyReferenced(&core), core.path.isEmpty, core.scopeDepth == 0, core.failurePath == nil {
            spare.keep(core)
        }
    }

    /// Ends the decoding. A decoder that escapes from the value then finds no bytes, instead of bytes that may belong
    /// to something else.
    private func end() {
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
        wholeEntries = nil
        steps.end()
    }

    /// Decodes the value that fills the bytes.
    func decodeWhole<Value: Decodable>(_ type: Value.Type) throws -> Value {
        // This is the one type with a fast path and no strategy. It reads another form than its own code would.
        guard type != fast.bytes else {
            try checkWhole()
            return try decode(type, at: 0)
        }
        switch strategies.strategy(of: type, DecodingStrategy.init) {
        case .general:
            try findWholeEntries()
            return try Value(from: ScopedDecoder(core: self, offset: 0, pathCount: 0))
        case .direct(let coder):
            try checkWhole()
            return try read(type, with: coder, at: 0)
        case .wire(let wire):
            return try readWhole(type, as: wire)
        }
    }

    /// Lets a value read itself from all of the bytes.
    ///
    /// The part that the value has read is well-formed, because its reader checks that. Only the part that it has not
    /// read is checked in addition. Proving first that everything is well-formed took a fifth of the time for decoding
    /// a small value. Large values notify their observer during that proof, and tags count as levels in it.
    private func readWhole<Value, Wire: WireCodable>(_ type: Value.Type, as wire: Wire.Type) throws -> Value {
        if steps.observer != nil || bytes.first.map({ $0 >> 5 == 6 }) == true { try checkWhole() }
        var reader = CBORReader(bytes)
        do {
            let value = try read(type, as: wire, &reader)
            if reader.hasFailed || reader.openMaps != 0 || reader.offset != bytes.count { try checkWhole() }
            return value
        } catch {
            // A fault in the encoding is reported before a fault that the value's code found.
            try checkWhole()
            throw error
        }
    }

    /// Proves in one pass that the bytes are well-formed and not nested too deeply, before any code of the value runs.
    private func checkWhole() throws {
        // A string that fills the bytes has no values inside.
        var offset = 0
        if let head = CBORHead(bytes, at: &offset), 2...3 ~= head.major, head.argument == UInt64(bytes.count - offset) {
            return
        }
        var reader = CBORReader(bytes)
        do throws(CBORError) {
            try reader.skip(counting: steps)
            try reader.finish()
        } catch {
            throw DecodingError.corrupted(error, path: [])
        }
    }

    /// Does the same, and keeps the entries of a map that it found in that pass.
    private func findWholeEntries() throws {
        var reader = CBORReader(bytes)
        reader.level = 1
        if bytes.first.map({ $0 >> 5 == 5 }) == true, let entries = try? KeyedEntries(&reader, counting: steps),
            reader.isAtEnd
        {
            wholeEntries = entries
        } else {
            try checkWhole()
        }
    }

    /// Returns the entries of the map at this position.
    func entries(at offset: Int) throws -> KeyedEntries {
        if offset == 0, let wholeEntries { return wholeEntries }
        var offset = offset
        return try read([String: Any].self, &offset) { reader throws(CBORError) in
            try KeyedEntries(&reader, counting: steps)
        }
    }

    /// Decodes a value of any type that begins at `offset`.
    func decode<Value: Decodable>(_ type: Value.Type, at offset: Int) throws -> Value {
        // The most frequent types are decoded without their own code. This is not a function that returns an optional,
        // because the type of that optional would be looked up for each value.
        steps.step()
        var offset = offset
        if type == String.self { return moved(try text(&offset), as: type) }
        if type == Int.self { return unsafeBitCast(try integer(Int.self, &offset), to: Value.self) }
        if type == fast.bytes { return moved(try byteArray(&offset), as: type) }
        if type == Double.self { return unsafeBitCast(try double(&offset), to: Value.self) }
        if type == fast.texts { return moved(try array(of: String.self, &offset), as: type) }
        if type == fast.numbers { return moved(try array(of: Int.self, &offset), as: type) }
        if type == fast.floats { return moved(try array(of: Double.self, &offset), as: type) }
        switch strategies.strategy(of: type, DecodingStrategy.init) {
        case .general: return try decodeByCode(type, at: offset)
        case .direct(let coder): return try read(type, with: coder, at: offset)
        case .wire(let wire):
            var reader = CBORReader(bytes, offset: offset)
            return try read(type, as: wire, &reader)
        }
    }

    /// Returns a value under another name of its type, which is the same type. A cast would copy the value and count a
    /// reference.
    @inline(__always)
    private func moved<Known, Value>(_ value: consuming Known, as type: Value.Type) -> Value {
        // Not temporary memory for the call, because its closure would look up its types.
        let place = scratch + Self.scratchSize
        place.initializeMemory(as: Known.self, to: value)
        return place.assumingMemoryBound(to: Value.self).move()
    }

    private func decodeByCode<Value: Decodable>(_ type: Value.Type, at offset: Int) throws -> Value {
        scopeDepth += 1
        defer { scopeDepth -= 1 }
        // Types that read one value through one another do not advance in the bytes.
        guard scopeDepth <= 4 * CBORLimits.maximumDepth else {
            throw DecodingError.corrupted(.tooDeep(at: offset, maximum: CBORLimits.maximumDepth), path: path)
        }
        return try Value(from: ScopedDecoder(core: self, offset: offset, pathCount: path.count))
    }

    /// Decodes a value without its own code. This is a function of its own, because the types that it needs would be
    /// looked up for each value that is read otherwise.
    @inline(never)
    private func read<Value: Decodable>(_ type: Value.Type, with coder: DirectCoder, at offset: Int) throws -> Value {
        let value = try withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { place -> Value? in
            guard let place = place.baseAddress, try coder.decode(self, offset, place) else { return nil }
            return place.move()
        }
        return try value ?? decodeByCode(type, at: offset)
    }

    /// Lets a value read itself.
    @inline(never)
    private func read<Value, Wire: WireCodable>(
        _ type: Value.Type,
        as wire: Wire.Type,
        _ reader: inout CBORReader
    ) throws -> Value {
        skipTags(&reader.offset)
        do {
            let size = MemoryLayout<Wire>.size
            guard scratchUsed + size <= Self.scratchSize, MemoryLayout<Wire>.alignment <= Self.scratchAlignment else {
                return unsafeBitCast(try Wire(from: &reader), to: type)
            }
            // The types are the same. The value is moved, because a cast would copy it.
            let (place, used) = (scratch + scratchUsed, scratchUsed)
            scratchUsed = (used + size + Self.scratchAlignment - 1) & -Self.scratchAlignment
            defer { scratchUsed = used }
            place.initializeMemory(as: Wire.self, to: try Wire(from: &reader))
            return place.assumingMemoryBound(to: Value.self).move()
        } catch {
            throw CodingFailure.inside(error, path)
        }
    }

    /// Decodes a value under a key, which is in the path meanwhile.
    func decode<Value: Decodable>(_ type: Value.Type, at offset: Int, key: any CodingKey) throws -> Value {
        path.append(key)
        let count = path.count
        defer { path.removeLast(path.count - count + 1) }
        do {
            return try decode(type, at: offset)
        } catch {
            failurePath = failurePath?.origin(at: path) ?? path
            throw error
        }
    }

    /// Calls `body` with a key in the path.
    func under<Result>(_ key: any CodingKey, _ body: () throws -> Result) rethrows -> Result {
        path.append(key)
        defer { path.removeLast() }
        return try body()
    }

    /// Reads a value that cannot be read once more, so that its key is in the path of the error. Only errors need that.
    @inline(never)
    func readAgain<Value: CodablePrimitive>(at offset: Int, under key: any CodingKey) throws -> Value {
        var offset = offset
        return try under(key) { try Value.read(from: self, at: &offset) }
    }

    func array<Element: CodablePrimitive>(of type: Element.Type, _ offset: inout Int) throws -> [Element] {
        let count = try arrayHeader([Element].self, &offset)
        var elements: [Element] = []
        // Elements may take more memory than their bytes. The reservation is limited to the memory that the bytes take.
        elements.reserveCapacity(min(count, max(16, bytes.count / MemoryLayout<Element>.stride)))
        for index in 0..<count {
            steps.step()
            let start = offset
            do {
                elements.append(try Element.read(from: self, at: &offset))
            } catch {
                elements.append(try readAgain(at: start, under: CBORCodingKey(index: index)))
            }
        }
        return elements
    }

    private func byteArray(_ offset: inout Int) throws -> [UInt8] {
        skipTags(&offset)
        if offset < bytes.count, bytes[offset] >> 5 == 4 {
            return try array(of: UInt8.self, &offset)
        }
        return [UInt8](try read([UInt8].self, &offset) { reader throws(CBORError) in try reader.byteString() })
    }
}
