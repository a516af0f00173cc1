import LatticeCoding

/// A piece of a payload. Another message on the same channel has announced the payload's length.
package struct PartMessage: WireMessageBody {
    package static let kind = MessageKind.part

    /// The bytes of the piece, 1 to ``FrameLimits/maximumPart``.
    package var bytes: [UInt8] = []

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "bytes", &bytes, .bytes(1...FrameLimits.maximumPart))
    }

    /// The message without a copy of its bytes.
    package struct Borrowed: FieldedBody {
        package static let name = PartMessage.name

        /// The bytes of the piece. They are part of the decoded bytes, and valid as long as these.
        package private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

        package init() {}

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.field(1, "bytes", &bytes, .part)
        }
    }

    /// Appends a whole frame with one part of a payload.
    static func appendFrame(to buffer: inout [UInt8], channel: UInt32, bytes: ArraySlice<UInt8>) {
        var writer = CBORWriter()
        writer.append(mapHeader: 1)
        writer.head(0, 1)
        writer.head(0x40, UInt64(bytes.count))
        let length = writer.bytes.count + bytes.count
        FrameHeader(length: UInt32(length), kind: kind, channel: channel).append(to: &buffer)
        buffer += writer.bytes
        buffer += bytes
    }
}

/// Allows the other side to send more of a payload that is sent in parts.
package struct CreditMessage: WireMessageBody {
    package static let kind = MessageKind.credit

    /// The number of bytes that the sender may send in addition to earlier credit, at least 1.
    package var bytes: UInt64 = 0

    package init(bytes: UInt64) {
        self.bytes = bytes
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "bytes", &bytes, .number(in: 1...MessageLimits.maximumGrowing))
    }
}
