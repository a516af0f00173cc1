/// What the bench of the coder encodes and decodes.
enum CodingSamples {
    /// A value as features have them. 96 bytes as it is encoded.
    struct Card: Codable, Equatable {
        var id = 70_512
        var title = "Shelves for the hall"
        var owner: String? = "Ada"
        var x = 412.25
        var y = -36.5
        var isOpen = true
        var votes = [3, 0, 28]
        var due: Int? = 1_763_800
        var parent: Int?
        var note = "by Friday"
        var weight = 0.1
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
