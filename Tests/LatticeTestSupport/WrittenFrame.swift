package import LatticeWire

/// A frame as the other side gets it.
package struct WrittenFrame {
    package let kind: MessageKind?
    package let channel: UInt32
    package let hasMore: Bool
    package let body: [UInt8]

    package var spoken: String { "\(kind.map { "\($0)" } ?? "?") on \(channel)" + (hasMore ? " …" : "") }

    package static func all(in bytes: [UInt8]) throws -> [WrittenFrame] {
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
