/// A frame of the commonest messages, put together on the stack: its header and the fields before its payload, which
/// then go into the buffer in one piece.
struct FrameDraft {
    /// Header, head of the map, four numbers with their keys, the key and head of a payload.
    static let maximumLength = FrameHeader.size + 1 + 4 * 10 + 10

    private let bytes: UnsafeMutableRawBufferPointer
    private var count = FrameHeader.size

    /// Appends a frame to `buffer`.
    ///
    /// - Parameters:
    ///   - payload: What follows the fields, as the content of a byte string. With them it has to fit into one frame.
    ///   - addFields: Ends with the head of the payload.
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
            buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<draft.count]))
            buffer.append(contentsOf: payload)
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

    /// The head of a byte string; its content is the frame's payload.
    @inline(__always)
    mutating func byteString(_ key: UInt8, length: Int) {
        put(key)
        head(0x40, UInt64(length))
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
