import LatticeCoding

/// Cuts a stream of bytes into frames, whatever the pieces it arrives in.
///
/// Frames that lie whole inside the bytes fed are handed on where they lie; only a frame that is torn between two
/// pieces is copied, into a buffer that never holds more than that one frame.
package struct FrameDecoder: Sendable {
    /// Bytes that a body may have, behind the handshake's frame.
    package let maximumBody: Int
    /// Bytes that the bodies may have up to the first frame that is not skipped. Each direction of a session has
    /// exactly one frame of the handshake, so the larger limit may follow it at once, also inside the same piece of
    /// bytes.
    package let maximumFirstBody: Int
    /// A frame has come that is not skipped.
    private var hasBegun = false

    /// The beginning of a torn frame.
    private var partial: [UInt8] = []
    /// After an error the place in the stream is lost, so every further call throws it again.
    private var failure: WireError?

    package init(
        maximumFirstBody: Int = FrameLimits.maximumHandshake,
        maximumBody: Int = FrameLimits.maximumBody
    ) {
        self.maximumFirstBody = maximumFirstBody
        self.maximumBody = maximumBody
    }

    /// Bytes that the buffer for torn frames has reserved.
    package var reservedBytes: Int { partial.capacity }

    /// Takes a piece of the stream.
    ///
    /// - Parameters:
    ///   - bytes: any number of bytes, also none.
    ///   - body: is called for each frame in order; its bytes are valid only during the call.
    /// - Throws: ``WireError`` for a violation, or what `body` threw. Nothing can be decoded afterwards.
    /// - Complexity: O(*f* + *t*), where *f* is the number of frames and *t* that of the bytes of torn ones.
    package mutating func feed(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (FrameHeader, UnsafeRawBufferPointer) throws(WireError) -> Void
    ) throws(WireError) {
        if let failure { throw failure }
        do throws(WireError) {
            var offset = 0
            if !partial.isEmpty {
                offset = try completePartial(from: bytes, body)
            }
            while bytes.count - offset >= FrameHeader.size {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let header = try FrameHeader(parsing: rest, maximumBody: limit)
                let end = FrameHeader.size + Int(header.length)
                guard rest.count >= end else {
                    // The length has been checked, so this reserves one frame at most.
                    partial.reserveCapacity(end)
                    break
                }
                count(header)
                try body(header, UnsafeRawBufferPointer(rebasing: rest[FrameHeader.size..<end]))
                offset += end
            }
            if offset < bytes.count {
                partial.append(contentsOf: bytes[offset...])
            }
        } catch {
            failure = error
            partial = []
            throw error
        }
    }

    private var limit: Int { hasBegun ? maximumBody : min(maximumFirstBody, maximumBody) }

    private mutating func count(_ header: FrameHeader) {
        if !hasBegun { hasBegun = !header.isSkipped }
    }

    /// Returns how many bytes of the piece went into the torn frame.
    private mutating func completePartial(
        from bytes: UnsafeRawBufferPointer,
        _ body: (FrameHeader, UnsafeRawBufferPointer) throws(WireError) -> Void
    ) throws(WireError) -> Int {
        var taken = 0
        if partial.count < FrameHeader.size {
            taken = min(FrameHeader.size - partial.count, bytes.count)
            partial.append(contentsOf: bytes[..<taken])
            guard partial.count == FrameHeader.size else { return taken }
        }
        let limit = limit
        let header = try partial.withBytes { bytes throws(WireError) in
            try FrameHeader(parsing: bytes, maximumBody: limit)
        }
        let end = FrameHeader.size + Int(header.length)
        // The length has been checked, so this reserves one frame at most.
        partial.reserveCapacity(end)
        let missing = min(end - partial.count, bytes.count - taken)
        partial.append(contentsOf: bytes[taken..<(taken + missing)])
        taken += missing
        guard partial.count == end else { return taken }
        count(header)
        try partial.withBytes { frame throws(WireError) in
            try body(header, UnsafeRawBufferPointer(rebasing: frame[FrameHeader.size...]))
        }
        // The buffer stays, so that a stream of torn frames does not allocate each time.
        partial.removeAll(keepingCapacity: true)
        return taken
    }
}
