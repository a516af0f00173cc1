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
