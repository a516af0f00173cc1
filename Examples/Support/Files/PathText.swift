/// Functions that show the bytes of a path to the user.
package enum PathText {
    /// Returns the path as text. Bytes that are not UTF-8 become U+FFFD.
    package static func text(_ path: [UInt8]) -> String {
        String(decoding: path, as: UTF8.self)
    }

    /// Returns the bytes in hexadecimal digits if the path is not UTF-8, and nil otherwise.
    package static func hexIfNeeded(_ path: [UInt8]) -> String? {
        guard String(validating: path, as: UTF8.self) == nil else { return nil }
        return path.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The maximum number of bytes of a path that a table shows: enough for a long name and its directory.
    package static let shownBytes = 400
    /// The number of these bytes that are taken from the beginning of a longer path.
    private static let shownBeginning = 100

    /// Returns the path on one line. Control characters are escaped, so that no name can disturb a table or a terminal.
    /// The middle of a path with more than ``shownBytes`` is left out. Otherwise a chain of 5,000 folders with one file
    /// each would take 25 MB.
    package static func display(_ path: [UInt8]) -> String {
        guard path.count > shownBytes else { return escaped(path[...]) }
        var (beginning, end) = (path.prefix(shownBeginning), path.suffix(shownBytes - shownBeginning))
        // Do not cut a character in two.
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
        // This is the case for most names.
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

    /// Returns the text after the last dot of a name, or an empty array if there is no dot or it comes first.
    package static func fileExtension(of path: [UInt8]) -> [UInt8] {
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return [] }
        return Array(name[(dot + 1)...])
    }
}
