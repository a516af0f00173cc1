/// Puts frames around bodies, in the buffer that goes to the socket.
package enum FrameWriter {
    /// Reserves the place of a header. The body is appended after it, and ``finish(_:at:kind:channel:)`` fills it in.
    ///
    /// - Returns: where the header starts.
    package static func begin(_ bytes: inout [UInt8]) -> Int {
        let start = bytes.count
        FrameHeader(length: 0, kind: 0, channel: 0).append(to: &bytes)
        return start
    }

    /// Fills in the header of the message whose body is everything after the place that ``begin(_:)`` reserved, and
    /// cuts the body into chunks when it is larger than one frame.
    ///
    /// - Throws: ``WireError`` with `tooLarge`; the buffer is then as long as it was before ``begin(_:)``.
    package static func finish(
        _ bytes: inout [UInt8],
        at start: Int,
        kind: MessageKind,
        channel: UInt32,
        flags: FrameFlags = []
    ) throws(WireError) {
        let length = bytes.count - start - FrameHeader.size
        let maximum = maximumLength(of: kind)
        guard length <= maximum else {
            bytes.removeLast(bytes.count - start)
            throw .messageTooLarge(kind, actual: length, maximum: maximum)
        }
        guard length > FrameLimits.maximumBody else {
            FrameHeader(length: UInt32(length), kind: kind, flags: flags, channel: channel).write(to: &bytes, at: start)
            return
        }
        chunk(
            &bytes,
            at: start,
            length: length,
            header: FrameHeader(length: 0, kind: kind, flags: flags, channel: channel)
        )
    }

    /// Appends a message whose body exists already, in as many frames as it takes.
    ///
    /// - Throws: ``WireError`` with `tooLarge`; nothing is appended then.
    package static func append(
        _ body: UnsafeRawBufferPointer,
        kind: MessageKind,
        channel: UInt32,
        flags: FrameFlags = [],
        to bytes: inout [UInt8]
    ) throws(WireError) {
        let start = begin(&bytes)
        bytes.append(contentsOf: body)
        try finish(&bytes, at: start, kind: kind, channel: channel, flags: flags)
    }

    /// Bytes that the body of a message of this kind may have.
    package static func maximumLength(of kind: MessageKind) -> Int {
        switch kind {
        case .hello, .welcome, .refuse: FrameLimits.maximumHandshake
        default: kind.lane == .control ? FrameLimits.maximumBody : FrameLimits.maximumMessage
        }
    }

    /// Moves the body apart from its end, so that a header fits before each chunk and no byte is copied twice.
    private static func chunk(_ bytes: inout [UInt8], at start: Int, length: Int, header: FrameHeader) {
        let size = FrameLimits.maximumBody
        let count = (length + size - 1) / size
        bytes.append(contentsOf: repeatElement(0, count: (count - 1) * FrameHeader.size))
        for index in stride(from: count - 1, through: 0, by: -1) {
            let chunkLength = min(size, length - index * size)
            let from = start + FrameHeader.size + index * size
            let to = from + index * FrameHeader.size
            if index > 0 {
                bytes.withUnsafeMutableBytes { buffer in
                    let source = UnsafeRawBufferPointer(rebasing: buffer[from..<(from + chunkLength)])
                    UnsafeMutableRawBufferPointer(rebasing: buffer[to..<(to + chunkLength)]).copyMemory(from: source)
                }
            }
            var chunk = header
            chunk.length = UInt32(chunkLength)
            if index < count - 1 { chunk.flags.insert(.more) }
            chunk.write(to: &bytes, at: to - FrameHeader.size)
        }
    }
}
