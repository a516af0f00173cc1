/// The flags of a frame.
package struct FrameFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A reader that does not know the kind drops the frame and continues.
    package static let skippable = FrameFlags(rawValue: 1)
    /// Another chunk of the same message follows on this channel.
    package static let more = FrameFlags(rawValue: 2)
    /// All bits that have a meaning in version 1.
    package static let known: FrameFlags = [.skippable, .more]
}

/// The header of a frame: 12 bytes, in which all numbers are big-endian.
///
/// Bytes 0-3 are the length of the body, 4-5 the kind, 6 the flags, 7 is reserved (0), and 8-11 are the channel.
package struct FrameHeader: Sendable, Hashable {
    /// The number of bytes of a header.
    package static let size = 12

    /// The number of bytes of the body, 1 to ``FrameLimits/maximumBody``. For a message in chunks, the number of bytes
    /// of the whole message.
    package var length: UInt32
    /// The number of the message's kind. See ``MessageKind``.
    package var kind: UInt16
    /// The flags of the frame.
    package var flags: FrameFlags
    /// The channel. 0 is the session itself, and each other number is an open feature.
    package var channel: UInt32

    /// Creates a header for a kind that may be unknown.
    package init(length: UInt32, kind: UInt16, flags: FrameFlags = [], channel: UInt32) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.channel = channel
    }

    /// Creates a header for a known kind.
    package init(length: UInt32, kind: MessageKind, flags: FrameFlags = [], channel: UInt32) {
        self.init(length: length, kind: kind.rawValue, flags: flags, channel: channel)
    }

    /// A Boolean value that indicates whether a reader drops the frame and continues.
    var isSkipped: Bool {
        flags.contains(.skippable) && MessageKind(rawValue: kind) == nil
    }

    /// Appends the 12 bytes of the header.
    package func append(to bytes: inout [UInt8]) {
        // A tuple in memory has padding after its last element, so the two words are appended one by one.
        withUnsafeBytes(of: words.0) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: words.1) { bytes.append(contentsOf: $0) }
    }

    /// Overwrites 12 bytes that were appended before, once the length is known.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that hold the header.
    ///   - offset: The position at which the header begins. 12 bytes from there must exist.
    package func write(to bytes: inout [UInt8], at offset: Int) {
        precondition(offset >= 0 && offset <= bytes.count - FrameHeader.size, "a header needs 12 bytes")
        bytes.withUnsafeMutableBytes { write(to: UnsafeMutableRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// Writes the 12 bytes of the header to the beginning of `buffer`.
    func write(to buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(of: words.0, as: UInt64.self)
        buffer.storeBytes(of: words.1, toByteOffset: 8, as: UInt32.self)
    }

    private var words: (UInt64, UInt32) {
        let high = UInt64(length) << 32 | UInt64(kind) << 16 | UInt64(flags.rawValue) << 8
        return (high.bigEndian, channel.bigEndian)
    }

    /// Reads and checks a header.
    ///
    /// - Parameters:
    ///   - bytes: At least 12 bytes.
    ///   - maximumBody: The maximum length of a body that is accepted.
    /// - Throws: ``WireError`` with `badLength`, `tooLarge`, `badFlags` or `reservedByte`.
    package init(parsing bytes: UnsafeRawBufferPointer, maximumBody: Int) throws(WireError) {
        precondition(bytes.count >= FrameHeader.size, "a header has 12 bytes")
        let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        length = UInt32(truncatingIfNeeded: high >> 32)
        kind = UInt16(truncatingIfNeeded: high >> 16)
        flags = FrameFlags(rawValue: UInt8(truncatingIfNeeded: high >> 8))
        channel = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        let reserved = UInt8(truncatingIfNeeded: high)
        guard reserved == 0 else { throw .reservedByte(reserved, kind: kind) }
        guard flags.isSubset(of: .known) else { throw .unknownFlags(flags.rawValue, kind: kind) }
        guard length > 0 else { throw .emptyBody(kind: kind) }
        guard Int(length) <= maximumBody else {
            throw .frameTooLarge(kind: kind, actual: Int(length), maximum: maximumBody)
        }
    }
}
