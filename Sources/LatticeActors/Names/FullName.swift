/// Functions for the full name of a method: its base name with the labels of its parameters, such as
/// `greet(_:loudly:)`.
enum FullName {
    /// Returns the full name of a method from its description, which has the module and the type in front of the name,
    /// such as `Greetings.Greeter.greet(_:loudly:)`.
    ///
    /// - Returns: The name, or nil if the description has another form, for example a mangled name.
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

    /// Returns a name without backticks, and with ordinary spaces in place of non-breaking ones, which the compiler
    /// writes in names with spaces.
    static func plain(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "`")) else { return name }
        return String(name.compactMap { $0 == "`" ? nil : $0 == "\u{a0}" ? " " : $0 })
    }
}

extension [UInt8] {
    /// Returns the last index of a byte before `end` that is not inside a pair of quotes.
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
