import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

extension WriteBatch {
    /// The bytes that would be written.
    var bytes: [UInt8] {
        frames.withPieces(from: offset) { pieces in pieces.flatMap { [UInt8]($0) } }
    }
}

extension WriteQueue {
    /// Returns the next batch to write. Throws if there is none.
    mutating func batch() throws -> WriteBatch {
        let batch = startWriting()
        return try #require(batch)
    }

    /// Writes everything, to a connection that takes all it is given.
    mutating func takeAllBytes() -> [UInt8] {
        var bytes: [UInt8] = []
        while let batch = startWriting() {
            bytes += batch.bytes
            _ = finishWriting(batch.count)
        }
        return bytes
    }

    mutating func takeAll() throws -> [WrittenFrame] {
        try WrittenFrame.all(in: takeAllBytes())
    }
}

extension WriteQueue {
    /// Adds a whole state.
    mutating func addState(_ state: [UInt8], revision: UInt64, applied: UInt64, on channel: UInt32) {
        addState(StateOffer(revision: revision, .snapshot(state)), applied: applied, on: channel)
    }
}
