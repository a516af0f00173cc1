/// Something that goes wrong at one place in the bytes of a connection.
///
/// Places are numbers of bytes and not times, so the same plan does much the same on a busy machine.
public struct ConnectionFault: Sendable, Hashable, Codable {
    /// Seen from the end that has the fault.
    public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        case reading
        case writing
    }

    /// What goes wrong. Times are kept to the millisecond.
    public enum Kind: Sendable, Hashable, Codable {
        /// So many bytes from there on move in pieces of at most `piece` bytes each. Less than 1 counts as 1.
        case split(piece: Int, length: Int)
        /// Nothing moves for so long, once. Meanwhile writes are refused, as by a peer that does not read. What comes
        /// is held back, up to 1 MiB; with more the stall is over.
        case stall(Duration)
        /// The connection breaks: in the middle of a message, if the place is there.
        case cut
        /// The worker at the other end is killed with its process group (SIGKILL). Where there is none, nothing
        /// happens.
        case kill
        /// The worker at the other end stands still for so long, with its process group (SIGSTOP, then SIGCONT). Where
        /// there is none, nothing happens.
        case pause(Duration)
    }

    /// Which connection it is on, of those that the plan is for, by the order in which they begin: from 0.
    public let connection: Int
    public let direction: Direction
    /// It begins when the byte behind so many others is to move in that direction; if none follows, it does not happen.
    /// Of several at one place the first in the plan goes first.
    public let place: UInt64
    public let kind: Kind

    public init(_ direction: Direction, at place: UInt64, _ kind: Kind, on connection: Int = 0) {
        self.connection = connection
        self.direction = direction
        self.place = place
        self.kind = kind
    }
}

extension ConnectionFault: CustomStringConvertible {
    public var description: String {
        let moment = "connection \(connection), byte \(place) of \(direction.rawValue): "
        return switch kind {
        case .split(let piece, let length): moment + "\(length) bytes in pieces of \(piece)"
        case .stall(let duration): moment + "stands still for \(duration)"
        case .cut: moment + "breaks"
        case .kill: moment + "the worker is killed"
        case .pause(let duration): moment + "the worker is stopped for \(duration)"
        }
    }
}
