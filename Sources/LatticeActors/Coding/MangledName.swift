/// The name that the Swift compiler gives a method or a type, as far as it says to what it belongs.
///
/// Nothing is looked up by it. The grammar is that of `docs/ABI/Mangling.rst` of the Swift compiler: a module, then one
/// identifier with a letter for each type around it, then, of a method, one identifier and its type.
struct MangledName {
    /// What the name of each method begins with.
    static let methodPrefix = "$s"
    /// The letters of classes and actors, structs, enums, protocols, and type aliases.
    private static let kinds = Set("CVOPa".utf8)

    private let bytes: [UInt8]

    /// - Parameter text: Without the prefix.
    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    /// The part that names the type that all of it belongs to, or is: without arguments of a generic type. nil: there
    /// is none.
    var owner: String? {
        var (place, end) = (0, 0)
        guard skipIdentifier(&place) else { return nil }
        while let kind = skipItem(&place), Self.kinds.contains(kind) { end = place }
        return end == 0 ? nil : String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Whether it goes on with the name of a type inside.
    var beginsWithType: Bool {
        var place = 0
        return skipItem(&place).map { Self.kinds.contains($0) } ?? false
    }

    /// An identifier, what tells private ones apart, and a letter, which is returned.
    private func skipItem(_ place: inout Int) -> UInt8? {
        guard skipIdentifier(&place) else { return nil }
        var behind = place
        if skipIdentifier(&behind), bytes[behind...].starts(with: Array("LL".utf8)) { place = behind + 2 }
        guard place < bytes.count else { return nil }
        place += 1
        return bytes[place - 1]
    }

    /// - Returns: Whether there was one.
    private func skipIdentifier(_ place: inout Int) -> Bool {
        guard place < bytes.count else { return false }
        switch bytes[place] {
        case UInt8(ascii: "A"):
            // One that was there before: letters, the last one a capital.
            place += 1
            return skipWords(&place)
        case UInt8(ascii: "0"):
            // With words that were there before.
            place += 1
            while place < bytes.count {
                guard isLetter(bytes[place]) else { return skipNatural(&place) }
                guard skipWords(&place) else { return false }
                if place < bytes.count, bytes[place] == UInt8(ascii: "0") {
                    place += 1
                    return true
                }
                return skipNatural(&place)
            }
            return false
        default:
            return skipNatural(&place)
        }
    }

    private func skipWords(_ place: inout Int) -> Bool {
        while place < bytes.count, isLetter(bytes[place]) {
            place += 1
            if UInt8(ascii: "A")...UInt8(ascii: "Z") ~= bytes[place - 1] { return true }
        }
        return false
    }

    private func skipNatural(_ place: inout Int) -> Bool {
        var count = 0
        let start = place
        while place < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[place] {
            count = count * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            guard count <= bytes.count else { return false }
            place += 1
        }
        guard place > start, count > 0, count <= bytes.count - place else { return false }
        place += count
        return true
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
    }
}
