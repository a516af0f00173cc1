import LatticeCoding

/// An encoded value as text for people, in the diagnostic notation of CBOR (RFC 8949 section 8). Long values are cut.
///
/// For bytes that are no value, the text contains the part that can be read.
struct ValueText {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    /// The number of bytes of text after which nothing more is added.
    private let maximum: Int
    private var text = ""

    /// Returns the text of a value.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that contain the value.
    ///   - offset: The position at which the value begins.
    ///   - maximum: The approximate maximum number of bytes of text.
    /// - Complexity: O(*m*), where *m* is that maximum, however large the value is.
    static func of(_ bytes: UnsafeRawBufferPointer, at offset: Int, maximum: Int) -> String {
        var value = ValueText(bytes: bytes, offset: offset, maximum: maximum)
        value.write(inside: 0)
        return value.text
    }

    /// Returns a string between quotation marks. Characters that cannot be printed are written by their numbers, so
    /// that a terminal shows them and does not act on them.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private init(bytes: UnsafeRawBufferPointer, offset: Int, maximum: Int) {
        self.bytes = bytes
        self.offset = offset
        self.maximum = maximum
    }

    private var isFull: Bool { text.utf8.count >= maximum }

    private mutating func write(inside level: Int) {
        guard level <= CBORLimits.maximumDepth, let head = CBORHead(bytes, at: &offset) else {
            text += "…"
            return
        }
        let count = Int(clamping: head.argument)
        switch head.major {
        case 0: text += "\(head.argument)"
        case 1: text += "\(-1 - Int128(head.argument))"
        case 2, 3: writeString(count, isText: head.major == 3)
        case 4:
            writeList("[", count, "]") { $0.write(inside: level + 1) }
        case 5:
            writeList("{", count, "}") { value in
                value.write(inside: level + 1)
                value.text += ": "
                value.write(inside: level + 1)
            }
        case 6:
            writeList("\(head.argument)(", 1, ")") { $0.write(inside: level + 1) }
        default: text += Self.simple(head)
        }
    }

    private mutating func writeList(_ begin: String, _ count: Int, _ end: String, _ write: (inout ValueText) -> Void) {
        text += begin
        for index in 0..<count {
            if index > 0 { text += ", " }
            guard !isFull else {
                text += "…"
                break
            }
            write(&self)
        }
        text += end
    }

    private mutating func writeString(_ count: Int, isText: Bool) {
        let whole = bytes[offset..<(offset + min(count, bytes.count - offset))]
        offset = whole.endIndex
        let part = whole.prefix(max(0, maximum - text.utf8.count))
        text += isText ? Self.quoted(Self.text(part)) : "h'\(part.hexadecimal)'"
        if part.count < count { text += "…" }
    }

    /// Returns the text of bytes. A character that is cut in the middle is left out.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        for left in 0..<min(4, bytes.count) {
            if let text = String(validating: bytes.dropLast(left), as: UTF8.self) { return text }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func simple(_ head: CBORHead) -> String {
        switch head.info {
        case 20: "false"
        case 21: "true"
        case 22: "null"
        case 23: "undefined"
        case 25: "\(HalfPrecision.value(UInt16(truncatingIfNeeded: head.argument)))"
        case 26: "\(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument)))"
        case 27: "\(Double(bitPattern: head.argument))"
        default: "simple(\(head.argument))"
        }
    }
}
