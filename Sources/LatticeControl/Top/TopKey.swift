/// A key of a terminal.
package enum TopKey: Sendable, Hashable {
    case character(Character)
    case up
    case down
    case pageUp
    case pageDown
    case enter
    case escape
    case backspace
    case tab
    /// Control-C or Control-D.
    case interrupt

    /// Returns the keys that the bytes of one read from a terminal stand for. Sequences that are not known are left
    /// out.
    ///
    /// A terminal sends the bytes of one key at once, so an escape at the end of the bytes is the key Escape.
    package static func keys(in bytes: [UInt8]) -> [TopKey] {
        var keys: [TopKey] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x1b where rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O"):
                rest.removeFirst()
                let parameters = rest.prefix { 0x20...0x3f ~= $0 }
                rest = rest.dropFirst(parameters.count)
                guard let last = rest.popFirst() else { break }
                switch (last, String(decoding: parameters, as: UTF8.self)) {
                case (UInt8(ascii: "A"), _): keys.append(.up)
                case (UInt8(ascii: "B"), _): keys.append(.down)
                case (UInt8(ascii: "~"), "5"): keys.append(.pageUp)
                case (UInt8(ascii: "~"), "6"): keys.append(.pageDown)
                default: break
                }
            case 0x1b: keys.append(.escape)
            case 0x03, 0x04: keys.append(.interrupt)
            case 0x0d, 0x0a: keys.append(.enter)
            case 0x7f, 0x08: keys.append(.backspace)
            case 0x09: keys.append(.tab)
            case 0x20..<0x7f: keys.append(.character(Character(Unicode.Scalar(first))))
            case 0xc2...0xf4:
                let length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
                let character = [first] + rest.prefix(length - 1)
                rest = rest.dropFirst(length - 1)
                if let text = String(validating: character, as: UTF8.self), let one = text.first {
                    keys.append(.character(one))
                }
            default: break
            }
        }
        return keys
    }
}
