import LatticeSession
import LatticeWire
import Testing

/// A frame as the other side gets it.
struct WrittenFrame {
    let kind: MessageKind?
    let channel: UInt32
    let hasMore: Bool
    let body: [UInt8]

    var spoken: String { "\(kind.map { "\($0)" } ?? "?") on \(channel)" + (hasMore ? " …" : "") }

    static func all(in bytes: [UInt8]) throws -> [WrittenFrame] {
        var decoder = FrameDecoder(maximumFirstBody: FrameLimits.maximumBody)
        var frames: [WrittenFrame] = []
        try bytes.withUnsafeBytes { bytes in
            try decoder.feed(bytes) { header, body throws(WireError) in
                frames.append(
                    WrittenFrame(
                        kind: MessageKind(rawValue: header.kind),
                        channel: header.channel,
                        hasMore: header.flags.contains(.more),
                        body: [UInt8](body)
                    )
                )
            }
        }
        return frames
    }
}

extension Outbox {
    /// The bytes to write now; somebody has to have some.
    mutating func batch() throws -> ArraySlice<UInt8> {
        let batch = startWriting()
        return try #require(batch)
    }

    /// Writes everything, to a connection that takes all it is given.
    mutating func takeAll() throws -> [WrittenFrame] {
        var bytes: [UInt8] = []
        while let batch = startWriting() {
            bytes += batch
            _ = finishWriting(batch.count)
        }
        return try WrittenFrame.all(in: bytes)
    }
}
