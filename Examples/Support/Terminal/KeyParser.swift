/// A parser that turns the bytes of a terminal into keys. The bytes may be split at any position.
package struct KeyParser: Sendable {
    /// The maximum length of a key sequence. A longer one is invalid and is dropped.
    private static let longestSequence = 32
    private static let escape: UInt8 = 0x1B

    private enum State: Equatable {
        case ground
        /// After an escape character, which is a key of its own or the beginning of a sequence.
        case escape
        /// Within `ESC [` or after `ESC O`, with the number of bytes so far.
        case sequence(introducer: UInt8, length: Int)
        /// Within a character of several bytes.
        case character([UInt8], length: Int)
    }

    private var state = State.ground

    /// Creates a parser without any input.
    package init() {}

    /// A Boolean value that indicates whether `pause` would have an effect.
    package var isPending: Bool { state != .ground }

    /// Adds bytes and returns the keys that are complete now.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { feed(byte, &keys) }
        return keys
    }

    /// Ends an incomplete sequence after a time without input. A single escape character is a key, and other incomplete
    /// input is dropped.
    package mutating func pause() -> [Key] {
        defer { state = .ground }
        return state == .escape ? [.escape] : []
    }

    private mutating func feed(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: begin(byte, &keys)
        case .escape:
            if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
                state = .sequence(introducer: byte, length: 0)
            } else {
                keys.append(.escape)
                state = .ground
                begin(byte, &keys)
            }
        case .sequence(let introducer, let length): feed(byte, to: introducer, length, &keys)
        case .character(let bytes, let length): feed(byte, to: bytes, length, &keys)
        }
    }

    private mutating func begin(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case Self.escape: state = .escape
        case 0x0A, 0x0D: keys.append(.enter)
        case 0x08, 0x7F: keys.append(.backspace)
        case 0x03, 0x04: keys.append(.interrupt)
        case 0x20..<0x7F: keys.append(.text(Unicode.Scalar(byte)))
        case 0xC2...0xDF: state = .character([byte], length: 2)
        case 0xE0...0xEF: state = .character([byte], length: 3)
        case 0xF0...0xF4: state = .character([byte], length: 4)
        default: keys.append(.other)
        }
    }

    private mutating func feed(_ byte: UInt8, to introducer: UInt8, _ length: Int, _ keys: inout [Key]) {
        switch byte {
        case Self.escape: state = .escape
        case 0x40...0x7E:
            state = .ground
            keys.append(byte == UInt8(ascii: "A") ? .up : byte == UInt8(ascii: "B") ? .down : .other)
        case 0x20..<0x40 where length < Self.longestSequence:
            state = .sequence(introducer: introducer, length: length + 1)
        default:
            state = .ground
            keys.append(.other)
        }
    }

    private mutating func feed(_ byte: UInt8, to bytes: [UInt8], _ length: Int, _ keys: inout [Key]) {
        let character = bytes + [byte]
        state = .ground
        // The byte does not belong to this character, which is dropped. The byte begins another one.
        guard byte & 0xC0 == 0x80 else { return begin(byte, &keys) }
        guard character.count == length else {
            state = .character(character, length: length)
            return
        }
        let text = String(validating: character, as: UTF8.self)
        if let scalar = text?.unicodeScalars.first, scalar.properties.generalCategory != .control {
            keys.append(.text(scalar))
        } else {
            keys.append(.other)
        }
    }
}
