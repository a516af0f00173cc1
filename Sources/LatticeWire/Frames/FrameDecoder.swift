import LatticeCoding

/// Cuts a stream of bytes into frames, whatever the pieces in which it arrives.
///
/// The decoder delivers frames that are whole inside the given bytes without a copy. It copies only a frame that is
/// torn between two pieces, into a buffer that never holds more than that one frame.
package struct FrameDecoder: Sendable {
    /// The maximum size of a body after the handshake's frame, in bytes.
    package let maximumBody: Int
    /// The maximum size of a body up to and including the first frame that is not skipped, in bytes. Each direction of
    /// a session has exactly one frame of the handshake. The larger limit may therefore apply directly after that
    /// frame, also within the same piece of bytes.
    package let maximumFirstBody: Int
    /// A Boolean value that indicates whether a frame has arrived that is not skipped.
    private var hasBegun = false

    /// The beginning of a torn frame.
    private var partial: [UInt8] = []
    /// The error of an earlier call. After an error the position in the stream is lost, so each further call throws the
    /// same error.
    private var failure: WireError?

    /// Creates a decoder for one direction of a session.
    package init(
        maximumFirstBody: Int = FrameLimits.maximumHandshake,
        maximumBody: Int = FrameLimits.maximumBody
    ) {
        self.maximumFirstBody = maximumFirstBody
        self.maximumBody = maximumBody
    }

    /// The number of bytes that the buffer for torn frames has reserved.
    package var reservedBytes: Int { partial.capacity }

    /// Decodes a piece of the stream.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes, including none.
    ///   - body: A closure that is called for each frame in order. Its bytes are valid only during the call.
    /// - Throws: ``WireError`` for a violation, or the error that `body` threw. Nothing can be decoded afterwards.
    /// - Complexity: O(*f* + *t*), where *f* is the number of frames and *t* is the number of bytes of torn frames.
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
                    // The length has been checked, so this reserves at most one frame.
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

    /// Completes the torn frame. Returns the number of bytes of the piece that went into it.
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
        // The length has been checked, so this reserves at most one frame.
        partial.reserveCapacity(end)
        let missing = min(end - partial.count, bytes.count - taken)
        partial.append(contentsOf: bytes[taken..<(taken + missing)])
        taken += missing
        guard partial.count == end else { return taken }
        count(header)
        try partial.withBytes { frame throws(WireError) in
            try body(header, UnsafeRawBufferPointer(rebasing: frame[FrameHeader.size...]))
        }
        // The buffer is kept, so that a stream of torn frames does not allocate for each of them.
        partial.removeAll(keepingCapacity: true)
        return taken
    }
}
