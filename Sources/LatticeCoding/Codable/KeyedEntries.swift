/// The positions of the keys and values of one map, in the order of the encoded keys.
struct KeyedEntries {
    /// The positions of a key and of its value, which follows it.
    struct Entry {
        var rank: KeyRank
        var key: UInt32
        var value: UInt32
    }

    /// The maximum number of entries that are searched one by one.
    private static let maximumScanned = 16

    private(set) var entries: [Entry] = []
    private var hasIntegerKeys = false

    /// Reads the keys of a map and skips its values.
    ///
    /// - Parameters:
    ///   - reader: The reader, which is after the map afterwards.
    ///   - steps: Counts the steps, in a coding that has an observer.
    /// - Throws: ``CBORError`` for a key that is neither text nor an integer, or that occurs twice.
    init(_ reader: inout CBORReader, counting steps: CodingSteps?) throws(CBORError) {
        let count = try reader.mapHeader()
        var isAscending = true
        // Larger maps grow step by step, so that a count alone never reserves much memory.
        entries.reserveCapacity(min(count, 64))
        var last: Entry?
        for _ in 0..<count {
            let key = reader.offset
            let rank = try readKey(&reader)
            let entry = Entry(rank: rank, key: UInt32(key), value: UInt32(reader.offset))
            if let last, isAscending { isAscending = KeyedEntries.precedes(last, entry, reader.bytes) }
            entries.append(entry)
            last = entry
            try reader.skip(counting: steps)
        }
        guard !isAscending else { return }
        let bytes = reader.bytes
        entries.sort {
            steps?.step()
            return KeyedEntries.precedes($0, $1, bytes)
        }
        for index in 1..<entries.count where !KeyedEntries.precedes(entries[index - 1], entries[index], bytes) {
            throw .duplicateKey(name(of: index, bytes), at: Int(entries[index].key))
        }
    }

    private mutating func readKey(_ reader: inout CBORReader) throws(CBORError) -> KeyRank {
        let start = reader.offset
        guard start < reader.bytes.count, reader.bytes[start] >> 5 == 3 else {
            hasIntegerKeys = true
            _ = try reader.integerHead()
            return .integer
        }
        let content = try reader.content(3, "a text string")
        let rank = KeyRank(content)
        guard rank.isWhole && rank.isASCII || CBORReader.isText(content) else { throw .invalidUTF8(at: start) }
        return rank
    }

    /// Returns the position of the value of a key. Integer keys are found by their decimal notation.
    ///
    /// - Parameters:
    ///   - name: The key.
    ///   - bytes: The bytes that contain the map.
    ///   - next: The index after the entry that was found last. A dictionary requests entries in their order.
    func value(of name: String, _ bytes: UnsafeRawBufferPointer, _ next: inout Int) -> Int? {
        // Without bytes the decoding has ended, and the positions are meaningless.
        guard bytes.count > 0 else { return nil }
        var name = name
        let found = name.withUTF8 { find($0, bytes, &next) }
        return found == nil && hasIntegerKeys ? valueOfInteger(name, bytes) : found
    }

    private func valueOfInteger(_ name: String, _ bytes: UnsafeRawBufferPointer) -> Int? {
        // Only in the canonical notation. "07" is not a number here.
        guard let number = Int128(name), "\(number)" == name,
            let argument = UInt64(exactly: number < 0 ? ~number : number)
        else { return nil }
        var head = CBORWriter()
        head.head(number < 0 ? 0x20 : 0x00, argument)
        return head.bytes.withBytes { head in
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                let key = UnsafeRawBufferPointer(
                    rebasing: bytes[Int(entries[middle].key)..<Int(entries[middle].value)]
                )
                if key.elementsEqual(head) { return Int(entries[middle].value) }
                if key.lexicographicallyPrecedes(head) { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    @inline(__always)
    private func find(_ name: UnsafeBufferPointer<UInt8>, _ bytes: UnsafeRawBufferPointer, _ next: inout Int) -> Int? {
        let name = UnsafeRawBufferPointer(name)
        let rank = KeyRank(name)
        guard entries.count <= Self.maximumScanned else { return findByHalves(name, rank, bytes, &next) }
        for entry in entries where entry.rank == rank {
            if compare(entry, name, rank, bytes) == 0 { return Int(entry.value) }
        }
        return nil
    }

    private func findByHalves(
        _ name: UnsafeRawBufferPointer,
        _ rank: KeyRank,
        _ bytes: UnsafeRawBufferPointer,
        _ next: inout Int
    ) -> Int? {
        var low = 0
        var high = entries.count
        var middle = next < high ? next : high / 2
        while low < high {
            let order = compare(entries[middle], name, rank, bytes)
            if order == 0 {
                next = middle + 1
                return Int(entries[middle].value)
            }
            if order < 0 { low = middle + 1 } else { high = middle }
            middle = (low + high) / 2
        }
        return nil
    }

    /// Returns a number below, at or above 0 if the entry's key sorts before, equal to or after the name.
    @inline(__always)
    private func compare(
        _ entry: Entry,
        _ name: UnsafeRawBufferPointer,
        _ rank: KeyRank,
        _ bytes: UnsafeRawBufferPointer
    ) -> Int {
        guard entry.rank == rank else { return entry.rank < rank ? -1 : 1 }
        return rank.isWhole ? 0 : compareWhole(entry, name, bytes)
    }

    private func compareWhole(_ entry: Entry, _ name: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer) -> Int {
        let start = Int(entry.key)
        guard bytes[start] >> 5 == 3 else { return -1 }
        let count = name.count
        let head = count < 24 ? 1 : count <= 0xff ? 2 : count <= 0xffff ? 3 : 5
        let difference = Int(entry.value) - start - head - count
        guard difference == 0 else { return difference }
        for index in 0..<count {
            let (left, right) = (bytes[start + head + index], name[index])
            guard left == right else { return left < right ? -1 : 1 }
        }
        return 0
    }

    /// Returns the name of a key, in the form of coding keys.
    func name(of index: Int, _ bytes: UnsafeRawBufferPointer) -> String {
        var reader = CBORReader(bytes, offset: Int(entries[index].key))
        // The key was read once already. The empty name stands for a decoding that has ended.
        guard let first = try? reader.peek() else { return "" }
        if first == .text { return (try? reader.text()) ?? "" }
        guard let head = try? reader.integerHead() else { return "" }
        return "\(head.integer)"
    }

    @inline(__always)
    private static func precedes(_ first: Entry, _ second: Entry, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard first.rank == second.rank else { return first.rank < second.rank }
        return !first.rank.isWhole && precedesByBytes(first, second, bytes)
    }

    private static func precedesByBytes(_ first: Entry, _ second: Entry, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // Encoded keys begin with their length, so none is the beginning of another one.
        let count = min(Int(first.value) - Int(first.key), Int(second.value) - Int(second.key))
        for index in 0..<count {
            let (left, right) = (bytes[Int(first.key) + index], bytes[Int(second.key) + index])
            guard left == right else { return left < right }
        }
        return false
    }
}
