/// The name that the Swift compiler gives a method or a type, as far as it says to what it belongs.
///
/// Nothing is looked up by it. The grammar is that of `docs/ABI/Mangling.rst` of the Swift compiler: a module, then one
/// identifier with a letter for each type around it, then, of a method, one identifier and its type. What is not
/// understood here counts as nothing.
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
        while skipItem(&place), place < bytes.count, Self.kinds.contains(bytes[place]) {
            place += 1
            end = place
        }
        return end == 0 ? nil : String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// Whether it is what stands behind the type of a method, of that type itself and of none inside of it: perhaps the
    /// module of an extension, then the method's own name, and its type.
    var isRestOfMethod: Bool {
        var place = 0
        guard skipItem(&place), place < bytes.count else { return false }
        if bytes[place] == UInt8(ascii: "E") {
            place += 1
            guard skipItem(&place), place < bytes.count else { return false }
        }
        return !Self.kinds.contains(bytes[place])
    }

    /// An identifier, and what tells private ones apart.
    ///
    /// - Returns: Whether there was one.
    private func skipItem(_ place: inout Int) -> Bool {
        guard skipIdentifier(&place) else { return false }
        var behind = place
        if skipIdentifier(&behind), bytes[behind...].starts(with: Array("LL".utf8)) { place = behind + 2 }
        return true
    }

    /// - Returns: Whether there was one.
    private func skipIdentifier(_ place: inout Int) -> Bool {
        var next = place
        var (hasWords, isPunycode) = (false, false)
        if skip("0", &next) {
            if skip("0", &next) { isPunycode = true } else { hasWords = true }
        }
        repeat {
            // Words that were there before; the last one is a capital.
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

    /// Whether a letter stands for the last word; nil: it is none.
    private func word(_ byte: UInt8) -> Bool? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: nil
        }
    }

    /// A number above 0.
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
