import LatticeTransport

/// Whole frames in the order in which they go out: bytes of its own, and shared frames at places between them.
package struct FrameBatch {
    private struct Shared {
        /// How many of the batch's own bytes go before it.
        let position: Int
        let frame: SharedFrame
    }

    /// A batch with shared frames is put together for its write up to this size: all that is shared comes from a warm
    /// cache then, and naming the pieces to the system takes longer.
    package static let gatheredBytes = 8 * 1024

    /// What stands here without being shared. Whoever adds frames appends them.
    package var bytes: [UInt8] = []
    private var shared: [Shared] = []
    private var sharedBytes = 0

    package init() {}

    package var count: Int { bytes.count + sharedBytes }
    package var isEmpty: Bool { count == 0 }
    /// Whether nothing in it is shared.
    package var isPlain: Bool { shared.isEmpty }

    package mutating func append(_ frame: consuming SharedFrame) {
        sharedBytes += frame.count
        shared.append(Shared(position: bytes.count, frame: frame))
    }

    package mutating func append(contentsOf other: FrameBatch) {
        if !other.shared.isEmpty {
            let start = bytes.count
            shared += other.shared.map { Shared(position: start + $0.position, frame: $0.frame) }
            sharedBytes += other.sharedBytes
        }
        bytes += other.bytes
    }

    /// Whether it has a buffer, from an earlier use.
    package var hasRoom: Bool { bytes.capacity > 0 || shared.capacity > 0 }

    /// - Parameter keptBytes: A buffer above this size is given back.
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

    /// All bytes without the first `offset`, in one piece: put together for the call unless they are that already.
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

    /// In the order in which they go out; some may be empty.
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

    /// The bytes where they are, in order and none of them empty, without the first `offset`. Valid during the call.
    package func withPieces<Result>(
        from offset: Int,
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { own in
            // Before each shared frame, and behind the last, may be bytes of the batch's own.
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

/// What is to be written now: a batch without what went out already.
package struct WriteBatch {
    package let frames: FrameBatch
    /// Bytes of it that went out.
    package let offset: Int

    /// Bytes to write; at least one.
    package var count: Int { frames.count - offset }
    /// Whether writing it in pieces gains anything.
    package var isWorthPieces: Bool { !frames.isPlain && frames.count > FrameBatch.gatheredBytes }
}

extension Connection {
    /// Writes a batch; see `write(_:)`.
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

/// Carries the error out of closures that throw none.
@inline(__always)
private func attempt(_ write: () throws(TransportError) -> Int) -> Result<Int, TransportError> {
    do throws(TransportError) {
        return .success(try write())
    } catch {
        return .failure(error)
    }
}
