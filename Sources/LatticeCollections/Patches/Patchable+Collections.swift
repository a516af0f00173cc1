// For plain collections, an old copy is compared, and the differences are sent.

extension Array: Patchable where Element: Codable & Equatable {
    /// Encodes the changed elements. Equal elements at the beginning and at the end are kept. If the number of elements
    /// is unchanged, the elements in between are compared one by one. Otherwise, they are all encoded as new.
    /// - Complexity: O(*n*) comparisons, or none if the arrays share their storage.
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

    /// Returns the number of equal elements at the beginning, and of the remaining equal elements at the end.
    @inlinable
    func commonEnds(with other: Self, _ patch: inout PatchEncoder) throws -> (prefix: Int, suffix: Int) {
        try withUnsafeBufferPointer { new in
            try other.withUnsafeBufferPointer { old in
                let limit = Swift.min(new.count, old.count)
                // Bytes are compared first, because unchanged elements have the same bytes.
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

    /// Applies the changed elements.
    /// - Complexity: O(*k*) if *k* elements changed in place, else O(*n*).
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        var next: Self?
        // As long as every piece is at its old position, no element needs to be moved.
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
    /// Encodes the changed entries if the keys are of type `String` or `Int`, whose dictionaries are encoded as maps.
    /// Otherwise it encodes the whole dictionary. A string in another Unicode normal form is another key.
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

    /// Applies the changed entries.
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        guard Self.hasEntries else { throw patch.mismatch("\(Self.self) can only be replaced as a whole") }
        // The number of new keys that have replaced equal keys, which the patch must remove.
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
        guard replacing <= 0 else { throw patch.mismatch("two keys of \(Self.self) are equal in Swift") }
    }

    @inlinable static var hasEntries: Bool { Key.self == String.self || Key.self == Int.self }

    @inlinable
    static func text(of key: Key) -> String { key as? String ?? "\(key)" }
}
