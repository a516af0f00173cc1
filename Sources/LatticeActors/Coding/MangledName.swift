/// A parser for the parts of a mangled Swift name that say to which type a method or a nested type belongs.
///
/// No lookup happens with its results. The grammar is that of `docs/ABI/Mangling.rst` of the Swift compiler. A name
/// begins with a module, followed by one identifier and one letter for each enclosing type. For a method, its
/// identifier and its type follow. Everything that the parser does not understand is treated as no match.
struct MangledName {
    /// The prefix of the mangled name of each method.
    static let methodPrefix = "$s"
    /// The letters for classes and actors, structs, enums, protocols, and type aliases.
    private static let kinds = Set("CVOPa".utf8)

    private let bytes: [UInt8]

    /// - Parameter text: The mangled name without its prefix.
    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    /// The part of the name up to the outermost declared type, without generic arguments, or nil if there is none.
    var owner: String? {
        var (place, end) = (0, 0)
        guard skipIdentifier(&place) else { return nil }
        while skipItem(&place), place < bytes.count, Self.kinds.contains(bytes[place]) {
            place += 1
            end = place
        }
        return end == 0 ? nil : String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// A Boolean value that indicates whether this is the rest of a method's name after its type. It is false for
    /// methods of types nested in that type. The rest consists of the module of an extension, if there is one, the
    /// method's own name, and its type.
    var isRestOfMethod: Bool {
        var place = 0
        guard skipItem(&place), place < bytes.count else { return false }
        if bytes[place] == UInt8(ascii: "E") {
            place += 1
            guard skipItem(&place), place < bytes.count else { return false }
        }
        return !Self.kinds.contains(bytes[place])
    }

    /// Skips an identifier and the suffix that distinguishes private ones.
    ///
    /// - Returns: Whether there was an identifier.
    private func skipItem(_ place: inout Int) -> Bool {
        guard skipIdentifier(&place) else { return false }
        var behind = place
        if skipIdentifier(&behind), bytes[behind...].starts(with: Array("LL".utf8)) { place = behind + 2 }
        return true
    }

    /// Skips an identifier.
    ///
    /// - Returns: Whether there was one.
    private func skipIdentifier(_ place: inout Int) -> Bool {
        var next = place
        var (hasWords, isPunycode) = (false, false)
        if skip("0", &next) {
            if skip("0", &next) { isPunycode = true } else { hasWords = true }
        }
        repeat {
            // References to words that appeared before. An upper-case letter marks the last one.
            while hasWords, next < bytes.count, let isLast = word(bytes[next]) {
                next += 1
                hasWords = !isLast
            }
            if next > place, skip("0", &next) { break }
            guard let count = natural(&next) else { return false }
            if isPunycode { _ = skip("_", &next) }
            guard count <= bytes.count - next else { return false }
            next += count
        } while hasWords
        place = next
        return true
    }

    private func skip(_ character: Unicode.Scalar, _ place: inout Int) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    /// Returns whether a letter refers to the last word of an identifier, or nil if it refers to no word.
    private func word(_ byte: UInt8) -> Bool? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: nil
        }
    }

    /// Parses a number greater than 0.
    private func natural(_ place: inout Int) -> Int? {
        var count = 0
        while place < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[place] {
            count = count * 10 + Int(bytes[place] - UInt8(ascii: "0"))
            guard count <= bytes.count else { return nil }
            place += 1
        }
        return count > 0 ? count : nil
    }
}
