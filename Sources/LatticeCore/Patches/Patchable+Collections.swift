// Plain collections: an old copy is compared, and what differs is sent.

extension Array: Patchable where Element: Codable & Equatable {
    /// What is the same at the beginning and at the end is kept. Between that the elements are compared one by one if
    /// there are as many as before, and are new else.
    /// - Complexity: O(*n*) comparisons, none where both share their storage.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard !isEmpty, !old.isEmpty else {
            if isEmpty != old.isEmpty { try patch.set(self) }
            return
        }
        if hasStorage(of: old) { return }
        let (prefix, suffix) = try commonEnds(with: old, &patch)
        patch.keep(0, count: prefix, ofOld: old.count)
        if count == old.count {
            for position in prefix..<(count - suffix) {
                try patch.keep(position, from: old[position], to: self[position], ofOld: old.count)
            }
        } else {
            for position in prefix..<(count - suffix) { try patch.insert(self[position], ofOld: old.count) }
        }
        patch.keep(old.count - suffix, count: suffix, ofOld: old.count)
    }

    /// How many elements are the same at the beginning, and how many of the rest at the end.
    @inlinable
    func commonEnds(with other: Self, _ patch: inout PatchEncoder) throws -> (prefix: Int, suffix: Int) {
        try withUnsafeBufferPointer { new in
            try other.withUnsafeBufferPointer { old in
                let limit = Swift.min(new.count, old.count)
                // As bytes first: of what was not changed they are the same.
                let bytes = 0..<limit * MemoryLayout<Element>.stride
                let same = UnsafeRawBufferPointer(new).countOfSameBytes(as: UnsafeRawBufferPointer(old), in: bytes)
                var prefix = same / MemoryLayout<Element>.stride
                while prefix < limit, try patch.isSame(old[prefix], new[prefix]) { prefix += 1 }
                var suffix = 0
                while suffix < limit - prefix,
                    try patch.isSame(old[old.count - 1 - suffix], new[new.count - 1 - suffix])
                {
                    suffix += 1
                }
                return (prefix, suffix)
            }
        }
    }

    /// - Complexity: O(*k*) where *k* elements changed in place, else O(*n*).
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        var next: Self?
        // Where all that came so far is where it was, there is nothing to move.
        var end = 0
        let oldCount = count
        try patch.pieces(ofOld: oldCount) { piece, patch in
            switch piece {
            case .kept(let range):
                if next == nil, range.lowerBound != end { next = Array(self[..<end]) }
                next?.append(contentsOf: self[range])
                end += range.count
            case .changed(let position):
                if next == nil, position != end { next = Array(self[..<end]) }
                if next == nil {
                    try patch.apply(to: &self[position])
                } else {
                    var element = self[position]
                    try patch.apply(to: &element)
                    next?.append(element)
                }
                end += 1
            case .values(let count):
                var values = next ?? Array(self[..<end])
                next = nil
                for _ in 0..<count { values.append(try patch.decode()) }
                next = values
                end += count
            }
        }
        if next == nil, end < oldCount { removeLast(oldCount - end) }
        if let next { self = next }
    }
}

extension Dictionary: Patchable where Key: Codable, Value: Codable & Equatable {
    /// Entry by entry where keys are texts or integers, which are the keys that are encoded as such; else as a whole. A
    /// key in another normal form is another key.
    /// - Complexity: O(*n*) look-ups.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        guard Self.hasEntries else {
            if try !patch.isSame(old, self) { try patch.set(self) }
            return
        }
        for (key, value) in self {
            if let position = old.position(of: key) {
                let oldValue = old.values[position]
                if !_$hasSameBits(oldValue, value) {
                    try patch.field(Self.text(of: key), from: oldValue, to: value)
                }
            } else {
                try patch.setEntry(Self.text(of: key), value)
            }
        }
        for key in old.keys where position(of: key) == nil { patch.removeEntry(Self.text(of: key)) }
    }

    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        guard Self.hasEntries else { throw patch.mismatch("\(Self.self) is changed as a whole") }
        // New keys that took the places of others, which the patch has to remove.
        var replacing = 0
        try patch.fields { name, patch in
            guard let key = name as? Key ?? Int(keyText: name) as? Key else { throw patch.unknownField(name) }
            guard let position = index(forKey: key) else { return try patch.applyEntry(to: &self[key]) }
            guard !isSameKey(keys[position], key) else {
                if patch.takeNull() { remove(at: position) } else { try patch.apply(to: &values[position]) }
                return
            }
            var value: Value?
            try patch.applyEntry(to: &value)
            replacing += value == nil ? -1 : 1
            guard let value else { return }
            remove(at: position)
            self[key] = value
        }
        guard replacing <= 0 else { throw patch.mismatch("two keys of \(Self.self) are one in Swift") }
    }

    @inlinable static var hasEntries: Bool { Key.self == String.self || Key.self == Int.self }

    @inlinable
    static func text(of key: Key) -> String { key as? String ?? "\(key)" }
}
