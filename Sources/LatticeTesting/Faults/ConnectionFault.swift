/// Something that goes wrong at one place in the bytes of a connection.
///
/// Places are numbers of bytes and not times, so the same plan does the same on a busy machine.
package struct ConnectionFault: Sendable, Hashable, Codable {
    /// Seen from the end that has the fault.
    package enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        case reading
        case writing
    }

    package enum Kind: Sendable, Hashable, Codable {
        /// So many bytes from there on move in pieces of at most `piece` bytes each.
        case split(piece: Int, length: Int)
        /// Nothing moves for so long, once. Meanwhile writes are refused, as by a peer that does not read.
        case stall(milliseconds: Int)
        /// The connection breaks: inside a frame, if the place is there.
        case cut
    }

    package let direction: Direction
    /// How many bytes have moved in that direction when it begins.
    package let place: UInt64
    package let kind: Kind

    package init(_ direction: Direction, at place: UInt64, _ kind: Kind) {
        self.direction = direction
        self.place = place
        self.kind = kind
    }
}

extension ConnectionFault: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .split(let piece, let length):
            "from byte \(place) on \(direction.rawValue) moves \(length) bytes in pieces of \(piece)"
        case .stall(let milliseconds):
            "at byte \(place) \(direction.rawValue) stands still for \(milliseconds) ms"
        case .cut:
            "at byte \(place) of \(direction.rawValue) the connection breaks"
        }
    }
}
