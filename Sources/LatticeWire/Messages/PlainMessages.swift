import LatticeCoding

/// A frame of one of the most frequent messages, which is composed on the stack. The header and the fields before the
/// payload go into the buffer in one piece.
struct FrameDraft {
    /// The maximum size: the header, the head of the map, four numbers with their keys, and the key and head of a
    /// payload.
    static let maximumLength = FrameHeader.size + 1 + 4 * 10 + 10

    private let bytes: UnsafeMutableRawBufferPointer
    private var count = FrameHeader.size
    /// The number of bytes before the content of the payload.
    private var payloadStart = FrameHeader.size

    /// Appends a frame to `buffer`.
    ///
    /// - Parameters:
    ///   - kind: The kind of the message.
    ///   - channel: The channel of the message.
    ///   - payload: The content of the only byte string among the fields. Together they have to fit into one frame.
    ///   - buffer: The buffer to which the frame is appended.
    ///   - addFields: A closure that adds the fields, with the head of the payload among them.
    @inline(__always)
    static func append(
        _ kind: MessageKind,
        channel: UInt32,
        payload: [UInt8],
        to buffer: inout [UInt8],
        _ addFields: (inout FrameDraft) -> Void
    ) {
        withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 8) { bytes in
            var draft = FrameDraft(bytes)
            addFields(&draft)
            let length = draft.count - FrameHeader.size + payload.count
            precondition(length <= FrameLimits.maximumBody, "a draft is one frame")
            FrameHeader(length: UInt32(length), kind: kind, channel: channel).write(to: bytes)
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<draft.payloadStart]))
            // Appends the bytes in place, because appending an array counts a reference to it.
            payload.withUnsafeBytes { buffer.append(contentsOf: $0) }
            guard draft.payloadStart < draft.count else { return }
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[draft.payloadStart..<draft.count]))
        }
    }

    private init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    @inline(__always)
    mutating func map(_ count: UInt8) {
        put(0xa0 | count)
    }

    @inline(__always)
    mutating func unsigned(_ key: UInt8, _ value: UInt64) {
        put(key)
        head(0x00, value)
    }

    /// Adds the head of a byte string. Its content is the frame's payload.
    @inline(__always)
    mutating func byteString(_ key: UInt8, length: Int) {
        put(key)
        head(0x40, UInt64(length))
        payloadStart = count
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func head(_ major: UInt8, _ argument: UInt64) {
        guard let start = bytes.baseAddress else { return }
        count += CBORHead.write(major, argument, to: start + count)
    }
}

/// Reads the fields of the most frequent messages in the form in which they are normally written: with the keys in
/// order and no unknown keys.
///
/// Each method returns nil if anything differs. `FieldReader` then reads the message again from its beginning. It knows
/// all forms that are allowed, and reports the faults of all others.
struct PlainFields {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 1

    /// Creates a reader, or nil unless the message is a map with that number of pairs, up to 23.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, count: UInt8) {
        guard bytes.count > 0, bytes[0] == 0xa0 | count else { return nil }
        self.bytes = bytes
    }

    /// Reads the next field if it has this key, up to 23, and is a number that grows, within its range.
    @inline(__always)
    mutating func growing(_ key: UInt8) -> UInt64? {
        guard let number = argument(key, major: 0), number <= MessageLimits.maximumGrowing else { return nil }
        return number
    }

    /// Reads the next field if it has this key, up to 23, and is a byte string. Its bytes are not copied.
    @inline(__always)
    mutating func byteString(_ key: UInt8) -> UnsafeRawBufferPointer? {
        guard let length = argument(key, major: 2), length <= UInt64(bytes.count - offset) else { return nil }
        let end = offset + Int(length)
        defer { offset = end }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
    }

    /// Skips the next field if it has this key and these two bytes, and returns whether it has.
    @inline(__always)
    mutating func take(_ key: UInt8, _ first: UInt8, _ second: UInt8) -> Bool {
        guard bytes.count - offset >= 3, bytes[offset] == key, bytes[offset + 1] == first, bytes[offset + 2] == second
        else { return false }
        offset += 3
        return true
    }

    /// Returns whether a message has a byte string under this key, up to 23, after fields that are numbers. Returns
    /// false if the message has the byte string in another place or form.
    @inline(__always)
    static func hasByteString(_ key: UInt8, in bytes: UnsafeRawBufferPointer) -> Bool {
        // The head of a map of up to 23 pairs is one byte.
        guard bytes.count > 0, 0xa0...0xb7 ~= bytes[0] else { return false }
        var offset = 1
        while offset < bytes.count, bytes[offset] <= key {
            let hasKey = bytes[offset] == key
            offset += 1
            guard let head = CBORHead(bytes, at: &offset) else { return false }
            if hasKey { return head.major == 2 }
            guard head.major == 0 else { return false }
        }
        return false
    }

    /// A Boolean value that indicates whether nothing follows the fields.
    var isAtEnd: Bool { offset == bytes.count }

    @inline(__always)
    private mutating func argument(_ key: UInt8, major: UInt8) -> UInt64? {
        guard offset < bytes.count, bytes[offset] == key else { return nil }
        offset += 1
        guard let head = CBORHead(bytes, at: &offset), head.major == major else { return nil }
        return head.argument
    }
}
