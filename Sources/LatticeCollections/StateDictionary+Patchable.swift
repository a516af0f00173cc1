import LatticeCoding

extension StateDictionary: Patchable where Value: Codable & Equatable {
    /// Encodes the changed, removed and added elements.
    /// - Complexity: O(*k* log *n*) for *k* changed elements, if this dictionary was made from `old`.
    @inlinable
    public func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try tree.differences(from: old.tree) { (difference) throws(any Error) in
            switch difference {
            case .shared:
                break
            case .both(let key, let old, let new):
                if !_$hasSameBits(old, new) { try patch.field(key.keyText, from: old, to: new) }
            case .removed(let key, _):
                patch.removeEntry(key.keyText)
            case .inserted(let key, let value):
                try patch.setEntry(key.keyText, value)
            }
        }
    }

    /// Applies the changed, removed and added elements.
    /// - Complexity: O(*k* log *n*) for *k* changed elements.
    @inlinable
    public mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            guard let key = Key(keyText: name) else { throw patch.mismatch("\"\(name)\" is not a key of \(Self.self)") }
            try patch.applyEntry(to: &self[key])
        }
    }
}

extension StateDictionary: Encodable where Value: Encodable {
    /// Encodes the dictionary as a map, in the form in which the encoder represents keys and values.
    /// - Complexity: O(*n*).
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TextKey.self)
        for (key, value) in self { try container.encode(value, forKey: TextKey(stringValue: key.keyText)) }
    }
}

extension StateDictionary: Decodable where Value: Decodable {
    /// Decodes a dictionary from a map.
    /// - Complexity: O(*n*) for an encoding with sorted keys, such as Lattice's own, else O(*n* log *n*).
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: TextKey.self)
        var builder = SharedTree<Key, Value>.Builder()
        var unsorted = SharedTree<Key, Value>()
        for name in container.allKeys {
            guard let key = Key(keyText: name.stringValue) else {
                let sentence = "\"\(name.stringValue)\" is not a key of \(Self.self)"
                throw DecodingError.dataCorruptedError(forKey: name, in: container, debugDescription: sentence)
            }
            let value = try container.decode(Value.self, forKey: name)
            if let last = builder.lastKey, !Key._precedes(last, key) {
                unsorted.updateValue(value, forKey: key)
            } else {
                builder.append(key, value)
            }
        }
        self.init(builder.finish())
        for (key, value) in unsorted { tree.updateValue(value, forKey: key) }
    }
}

/// A coding key for the text of a ``StateDictionary`` key.
private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}
