import LatticeCoding

/// What the bench of the coder encodes and decodes.
enum CodingSamples {
    /// A value as features have them. 96 bytes as it is encoded.
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

    /// The same, and writes itself.
    struct WrittenCard: WireCodable, Equatable {
        var card = Card()

        init() {}

        init(from decoder: any Decoder) throws { card = try Card(from: decoder) }

        func encode(to encoder: any Encoder) throws { try card.encode(to: encoder) }

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            card.x = try map.decode(forKey: "x")
            card.y = try map.decode(forKey: "y")
            card.id = try map.decode(forKey: "id")
            card.due = try map.decodeIfPresent(forKey: "due")
            card.note = try map.decode(forKey: "note")
            card.owner = try map.decodeIfPresent(forKey: "owner")
            card.title = try map.decode(forKey: "title")
            card.votes = try map.decode(forKey: "votes")
            card.isOpen = try map.decode(forKey: "isOpen")
            card.parent = try map.decodeIfPresent(forKey: "parent")
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(card.x, forKey: "x")
                try map.encode(card.y, forKey: "y")
                try map.encode(card.id, forKey: "id")
                try map.encodeIfPresent(card.due, forKey: "due")
                try map.encode(card.note, forKey: "note")
                try map.encodeIfPresent(card.owner, forKey: "owner")
                try map.encode(card.title, forKey: "title")
                try map.encode(card.votes, forKey: "votes")
                try map.encode(card.isOpen, forKey: "isOpen")
                try map.encodeIfPresent(card.parent, forKey: "parent")
            }
        }
    }

    /// About 10 MB as they are encoded.
    static func dictionary() -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<entries).map { (name($0), $0) })
    }

    static func names() -> [String] { (0..<entries).map(name) }

    static let entries = 450_000

    /// Names as files have them, in no order.
    private static func name(_ number: Int) -> String {
        let scattered = (number &* 7919) % entries
        return "notes/\(scattered % 97)/\(scattered).txt"
    }
}
