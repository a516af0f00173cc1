import LatticeTransport

/// Whole frames in the order in which they are written. The batch owns bytes and refers to shared frames at positions
/// between them.
package struct FrameBatch {
    private struct Shared {
        /// The number of the batch's own bytes that come before the frame.
        let position: Int
        let frame: SharedFrame
    }

    /// The size in bytes up to which a batch with shared frames is copied into one piece to be written. A copy from a
    /// warm cache is faster than passing the pieces to the system.
    package static let gatheredBytes = 8 * 1024

    /// The frames that are not shared. Callers append to it.
    package var bytes: [UInt8] = []
    private var shared: [Shared] = []
    private var sharedBytes = 0

    /// Creates an empty batch.
    package init() {}

    /// The size of all frames in bytes.
    package var count: Int { bytes.count + sharedBytes }
    /// A Boolean value that indicates whether the batch contains no frames.
    package var isEmpty: Bool { count == 0 }
    /// A Boolean value that indicates whether no frame is shared.
    package var isPlain: Bool { shared.isEmpty }

    /// Adds a shared frame.
    package mutating func append(_ frame: consuming SharedFrame) {
        sharedBytes += frame.count
        shared.append(Shared(position: bytes.count, frame: frame))
    }

    /// Adds the frames of another batch.
    package mutating func append(contentsOf other: FrameBatch) {
        if !other.shared.isEmpty {
            let start = bytes.count
            shared += other.shared.map { Shared(position: start + $0.position, frame: $0.frame) }
            sharedBytes += other.sharedBytes
        }
        bytes += other.bytes
    }

    /// A Boolean value that indicates whether the batch has a buffer from earlier use.
    package var hasRoom: Bool { bytes.capacity > 0 || shared.capacity > 0 }

    /// Removes all frames.
    ///
    /// - Parameter keptBytes: The maximum size in bytes of a buffer that is kept. A larger buffer is freed.
    package mutating func removeAll(keeping keptBytes: Int) {
        if bytes.capacity <= keptBytes { bytes.removeAll(keepingCapacity: true) } else { bytes = [] }
        guard !shared.isEmpty else { return }
        if shared.capacity * MemoryLayout<Shared>.stride <= keptBytes {
            shared.removeAll(keepingCapacity: true)
        } else {
            shared = []
        }
        sharedBytes = 0
    }

    /// Calls `body` with all bytes after the first `offset` bytes as one piece. The bytes are copied for the call
    /// unless they already are one piece.
    package func withBytes<Result>(from offset: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if isPlain { return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) } }
        if shared.count == 1, bytes.isEmpty {
            let frame = shared[0].frame
            return withExtendedLifetime(frame) { body(UnsafeRawBufferPointer(rebasing: frame.bytes[offset...])) }
        }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { whole in
            var end = 0
            bytes.withUnsafeBytes { own in
                forEachPiece(own) { piece in
                    UnsafeMutableRawBufferPointer(rebasing: whole[end...]).copyMemory(from: piece)
                    end += piece.count
                }
            }
            return body(UnsafeRawBufferPointer(rebasing: whole[offset...]))
        }
    }

    /// Calls `body` with each piece in the order of writing. A piece may be empty.
    @inline(__always)
    private func forEachPiece(_ own: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        for shared in shared {
            body(UnsafeRawBufferPointer(rebasing: own[start..<shared.position]))
            body(shared.frame.bytes)
            start = shared.position
        }
        body(UnsafeRawBufferPointer(rebasing: own[start...]))
    }

    /// Calls `body` with the pieces of the bytes after the first `offset` bytes, in the order of writing. No piece is
    /// empty. The pieces are not copied and are valid during the call.
    package func withPieces<Result>(
        from offset: Int,
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { own in
            // The batch's own bytes may occur before each shared frame and after the last one.
            withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 2 * shared.count + 1) { pieces in
                var (count, skipped) = (0, offset)
                forEachPiece(own) { piece in
                    guard piece.count > skipped else {
                        skipped -= piece.count
                        return
                    }
                    pieces[count] = UnsafeRawBufferPointer(rebasing: piece[skipped...])
                    count += 1
                    skipped = 0
                }
                return withExtendedLifetime(shared) { body(UnsafeBufferPointer(rebasing: pieces[..<count])) }
            }
        }
    }
}

/// The frames to write now: a batch, some bytes of which may have been written already.
package struct WriteBatch {
    /// The batch.
    package let frames: FrameBatch
    /// The number of bytes that have already been written.
    package let offset: Int

    /// The number of bytes to write, at least one.
    package var count: Int { frames.count - offset }
    /// A Boolean value that indicates whether writing separate pieces is faster than copying the batch.
    package var isWorthPieces: Bool { !frames.isPlain && frames.count > FrameBatch.gatheredBytes }
}

extension Connection {
    /// Writes a batch and returns the number of bytes that were written. See `write(_:)`.
    func write(_ batch: WriteBatch) throws(TransportError) -> Int {
        let result =
            if batch.isWorthPieces {
                batch.frames.withPieces(from: batch.offset) { pieces in
                    attempt { () throws(TransportError) in try write(pieces) }
                }
            } else {
                batch.frames.withBytes(from: batch.offset) { bytes in
                    attempt { () throws(TransportError) in try write(bytes) }
                }
            }
        return try result.get()
    }
}

/// Returns the error of a closure as a result, for use inside closures that cannot throw.
@inline(__always)
private func attempt(_ write: () throws(TransportError) -> Int) -> Result<Int, TransportError> {
    do throws(TransportError) {
        return .success(try write())
    } catch {
        return .failure(error)
    }
}
