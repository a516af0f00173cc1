/// How the bytes of a path are shown to people.
enum PathText {
    /// The path as text; what is not UTF-8 shows U+FFFD.
    static func text(_ path: [UInt8]) -> String {
        String(decoding: path, as: UTF8.self)
    }

    /// The bytes in hexadecimal digits if the text does not tell them, else nil.
    static func hexIfNeeded(_ path: [UInt8]) -> String? {
        guard String(validating: path, as: UTF8.self) == nil else { return nil }
        return path.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The path on one line: control characters are escaped, so that no name can break a table or a terminal.
    static func display(_ path: [UInt8]) -> String {
        guard !path.isEmpty else { return "." }
        // Most names: nothing to escape.
        if path.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text(path) }
        var result = ""
        for scalar in text(path).unicodeScalars {
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
    static func fileExtension(of path: [UInt8]) -> [UInt8] {
        let name = path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path[...]
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return [] }
        return Array(name[(dot + 1)...])
    }
}
