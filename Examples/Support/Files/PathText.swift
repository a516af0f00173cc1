/// How the bytes of a path are shown to people.
package enum PathText {
    /// The path as text; what is not UTF-8 shows U+FFFD.
    package static func text(_ path: [UInt8]) -> String {
        String(decoding: path, as: UTF8.self)
    }

    /// The bytes in hexadecimal digits if the text does not tell them, else nil.
    package static func hexIfNeeded(_ path: [UInt8]) -> String? {
        guard String(validating: path, as: UTF8.self) == nil else { return nil }
        return path.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Bytes of a path that a table shows at most: a long name, and where it is.
    package static let shownBytes = 400
    /// How many of them are from the beginning of a longer one.
    private static let shownBeginning = 100

    /// The path on one line: control characters are escaped, so that no name can break a table or a terminal. Of a path
    /// of more than ``shownBytes`` the middle is left out: a chain of 5,000 folders, each with a file, would be shown
    /// in 25 MB.
    package static func display(_ path: [UInt8]) -> String {
        guard path.count > shownBytes else { return escaped(path[...]) }
        var (beginning, end) = (path.prefix(shownBeginning), path.suffix(shownBytes - shownBeginning))
        // Not in the middle of a character.
        while let last = beginning.last, last >= 0x80 {
            beginning.removeLast()
            if last >= 0xC0 { break }
        }
        while let first = end.first, first & 0xC0 == 0x80 { end.removeFirst() }
        return escaped(beginning) + " … " + escaped(end)
    }

    private static func escaped(_ path: ArraySlice<UInt8>) -> String {
        guard !path.isEmpty else { return "." }
        let text = String(decoding: path, as: UTF8.self)
        // Most names: nothing to escape.
        if path.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                result += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// What follows the last dot of a name that does not start there, else empty.
    package static func fileExtension(of path: [UInt8]) -> [UInt8] {
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return [] }
        return Array(name[(dot + 1)...])
    }
}
