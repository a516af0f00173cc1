import ByteTestSupport
import LatticeCoding
import LatticeWire

/// An encoded value as a tree, and changes of it that are made to the tree: what bytes are held against.
indirect enum ModelValue: Equatable {
    /// Any other value, by its bytes.
    case leaf([UInt8])
    case list([ModelValue])
    /// Values by their encoded keys.
    case map([[UInt8]: ModelValue])

    var bytes: [UInt8] {
        switch self {
        case .leaf(let bytes): bytes
        case .list(let values): head(0x80, values.count) + values.flatMap(\.bytes)
        case .map(let entries): head(0xa0, entries.count) + sorted(entries).flatMap { $0.key + $0.value.bytes }
        }
    }

    static func random(_ random: inout SplitMix, depth: Int = 0) -> ModelValue {
        let choice = random.below(10)
        if depth == 4 || choice < 2 + depth { return .leaf(leaves[random.below(leaves.count)]) }
        let count = depth < 2 && random.below(12) == 0 ? 30 : random.below(5)
        if choice < 6 { return .list((0..<count).map { _ in .random(&random, depth: depth + 1) }) }
        return .map(
            (0..<count).reduce(into: [:]) { map, _ in map[key(&random)] = .random(&random, depth: depth + 1) }
        )
    }

    private static let leaves: [[UInt8]] = [
        [0x00], [0x18, 0x2a], [0x20], [0x61, 0x61], [0x42, 0xff, 0x00], [0xf5], [0xf6], [0xf9, 0x7e, 0x00],
        [0xc1, 0x81, 0x00],
    ]

    static func key(_ random: inout SplitMix) -> [UInt8] {
        switch random.below(4) {
        case 0: [UInt8(random.below(24))]
        case 1: [0x18, UInt8(24 + random.below(8))]
        case 2: [0x61, UInt8(0x61 + random.below(8))]
        default: [0x62, 0x61, UInt8(0x61 + random.below(4))]
        }
    }
}

/// A change, as the protocol's text has it.
indirect enum ModelChange {
    case set(ModelValue)
    /// Changes by encoded keys. nil removes the entry.
    case fields([[UInt8]: ModelChange?])
    case pieces([Piece])

    enum Piece {
        case kept(Int, count: Int)
        case values([ModelValue])
        case changed(Int, ModelChange)

        var bytes: [UInt8] {
            switch self {
            case .kept(let start, let count): [0x83, 0x00] + head(0, start) + head(0, count)
            case .values(let values): [0x82, 0x01] + ModelValue.list(values).bytes
            case .changed(let index, let change): [0x83, 0x02] + head(0, index) + change.bytes
            }
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .set(let value): [0x82, 0x00] + value.bytes
        case .fields(let entries):
            [0x82, 0x01] + head(0xa0, entries.count) + sorted(entries).flatMap { $0.key + ($0.value?.bytes ?? [0xf6]) }
        case .pieces(let pieces): [0x82, 0x02] + head(0x80, pieces.count) + pieces.flatMap(\.bytes)
        }
    }

    var change: StateChange { StateChange(bytes) }

    /// Returns the result of the change for a value that it fits.
    func made(of value: ModelValue) -> ModelValue {
        switch (self, value) {
        case (.set(let new), _):
            return new
        case (.fields(let changes), .map(var entries)):
            for (key, change) in changes {
                // A change of 0 needs no old value.
                entries[key] = change.map { $0.made(of: entries[key] ?? .list([])) }
            }
            return .map(entries)
        case (.pieces(let pieces), .list(let old)):
            return .list(
                pieces.flatMap { piece -> [ModelValue] in
                    switch piece {
                    case .kept(let start, let count): Array(old[start..<(start + count)])
                    case .values(let values): values
                    case .changed(let index, let change): [change.made(of: old[index])]
                    }
                }
            )
        default:
            return value
        }
    }

    /// Returns a random change that fits the value.
    static func random(for value: ModelValue, _ random: inout SplitMix) -> ModelChange {
        if random.below(8) == 0 { return .set(.random(&random, depth: 2)) }
        switch value {
        case .leaf:
            return .set(.random(&random, depth: 2))
        case .map(let entries):
            var changes: [[UInt8]: ModelChange?] = [:]
            for _ in 0...random.below(2) {
                let new = random.below(3) == 0 ? nil : ModelChange.set(.random(&random, depth: 2))
                changes[ModelValue.key(&random)] = .some(new)
            }
            for (key, entry) in sorted(entries) where random.below(3) == 0 {
                changes[key] = .some(random.below(5) == 0 ? nil : .random(for: entry, &random))
            }
            return .fields(changes)
        case .list(let values):
            return .pieces(pieces(of: values, &random))
        }
    }

    private static func pieces(of values: [ModelValue], _ random: inout SplitMix) -> [Piece] {
        var pieces: [Piece] = []
        var index = 0
        while index < values.count {
            let count = min(1 + random.below(3), values.count - index)
            switch random.below(6) {
            case 0: index += count
            case 1:
                pieces.append(.changed(index, .random(for: values[index], &random)))
                index += 1
            default:
                pieces.append(.kept(index, count: count))
                index += count
            }
            if random.below(5) == 0 { pieces.append(news(&random)) }
        }
        if random.below(3) == 0 { pieces.shuffle(using: &random) }
        return pieces.isEmpty ? [news(&random)] : pieces
    }

    private static func news(_ random: inout SplitMix) -> Piece {
        .values((0...random.below(3)).map { _ in .random(&random, depth: 3) })
    }

    /// Returns the change between any two values.
    static func between(_ old: ModelValue, _ new: ModelValue) -> ModelChange {
        switch (old, new) {
        case (.map(let old), .map(let new)):
            var changes: [[UInt8]: ModelChange?] = [:]
            for key in old.keys where new[key] == nil { changes[key] = .some(nil) }
            for (key, value) in new where old[key] != value {
                changes[key] = old[key].map { between($0, value) } ?? .set(value)
            }
            return changes.isEmpty ? .set(.map(new)) : .fields(changes)
        case (.list(let old), .list(let new)) where !new.isEmpty:
            let kept = zip(old, new).prefix { $0 == $1 }.count
            var pieces: [Piece] = kept > 0 ? [.kept(0, count: kept)] : []
            for (index, value) in new.enumerated().dropFirst(kept) {
                pieces.append(index < old.count ? .changed(index, between(old[index], value)) : .values([value]))
            }
            return .pieces(pieces)
        default:
            return .set(new)
        }
    }
}

private func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
    var writer = CBORWriter()
    writer.head(major, UInt64(argument))
    return writer.bytes
}

private func sorted<Value>(_ entries: [[UInt8]: Value]) -> [(key: [UInt8], value: Value)] {
    entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
}
