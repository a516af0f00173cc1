/// A method's base name with the labels of its parameters, as the language writes it: `greet(_:loudly:)`.
enum FullName {
    /// That of a method as it is shown to people: with its type, its module and the like in front of it, such as
    /// `Greetings.Greeter.greet(_:loudly:)`.
    ///
    /// - Returns: nil: it is shown as something else, such as the compiler's own name.
    static func last(of description: String) -> String? {
        let text = Array(description.utf8)
        guard text.last == UInt8(ascii: ")"),
            let open = text.lastIndex(of: UInt8(ascii: "("), outside: "`", from: text.count),
            open > 0
        else { return nil }
        let start: Int
        if text[open - 1] == UInt8(ascii: "`") {
            start = text[..<(open - 1)].lastIndex(of: UInt8(ascii: "`")) ?? open
        } else {
            start = (text[..<open].lastIndex(of: UInt8(ascii: ".")) ?? -1) + 1
        }
        guard start < open, text[start] != UInt8(ascii: "(") else { return nil }
        return plain(String(decoding: text[start...], as: UTF8.self))
    }

    /// Without what marks keywords and names with spaces, for which the compiler writes others.
    static func plain(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "`")) else { return name }
        return String(name.compactMap { $0 == "`" ? nil : $0 == "\u{a0}" ? " " : $0 })
    }
}

extension [UInt8] {
    /// The last place of a byte that is not between two of those that quote.
    fileprivate func lastIndex(of byte: UInt8, outside quote: Unicode.Scalar, from end: Int) -> Int? {
        var isQuoted = false
        for index in (0..<end).reversed() {
            if self[index] == UInt8(ascii: quote) {
                isQuoted.toggle()
            } else if self[index] == byte, !isQuoted {
                return index
            }
        }
        return nil
    }
}
