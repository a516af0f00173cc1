import LatticeCoding

/// The values that the benchmark of the coder encodes and decodes.
enum CodingSamples {
    /// A value as it occurs in features. Encoded, it has 96 bytes.
    struct Card: Codable, Equatable {
        var id = 70_512
        var title = "Shelves, the hall"
        var owner: String? = "Ada"
        var x = 412.25
        var y = -36.5
        var isOpen = true
        var votes = [3, 0, 28]
        var due: Int? = 1_763_800
        var parent: Int?
        var note = "by Friday"
    }

    /// The same value with a handwritten conformance to `WireCodable`.
    struct WrittenCard: WireCodable, Equatable {
        var id: Int
        var title: String
        var owner: String?
        var x: Double
        var y: Double
        var isOpen: Bool
        var votes: [Int]
        var due: Int?
        var parent: Int?
        var note: String

        init(_ card: Card) {
            (id, title, owner, x, y) = (card.id, card.title, card.owner, card.x, card.y)
            (isOpen, votes, due, parent, note) = (card.isOpen, card.votes, card.due, card.parent, card.note)
        }

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            x = try map.decode(forKey: "x")
            y = try map.decode(forKey: "y")
            id = try map.decode(forKey: "id")
            due = try map.decodeIfPresent(forKey: "due")
            note = try map.decode(forKey: "note")
            owner = try map.decodeIfPresent(forKey: "owner")
            title = try map.decode(forKey: "title")
            votes = try map.decode(forKey: "votes")
            isOpen = try map.decode(forKey: "isOpen")
            parent = try map.decodeIfPresent(forKey: "parent")
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(x, forKey: "x")
                try map.encode(y, forKey: "y")
                try map.encode(id, forKey: "id")
                try map.encodeIfPresent(due, forKey: "due")
                try map.encode(note, forKey: "note")
                try map.encodeIfPresent(owner, forKey: "owner")
                try map.encode(title, forKey: "title")
                try map.encode(votes, forKey: "votes")
                try map.encode(isOpen, forKey: "isOpen")
                try map.encodeIfPresent(parent, forKey: "parent")
            }
        }
    }

    /// Creates a dictionary of about 10 MB when encoded.
    static func dictionary() -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<entries).map { (name($0), $0) })
    }

    static func names() -> [String] { (0..<entries).map(name) }

    static let entries = 450_000

    /// Returns a name like that of a file. Consecutive numbers do not have consecutive names.
    private static func name(_ number: Int) -> String {
        let scattered = (number &* 7919) % entries
        return "notes/\(scattered % 97)/\(scattered).txt"
    }
}
