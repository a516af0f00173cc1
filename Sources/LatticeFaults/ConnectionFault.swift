/// A fault at one place in the bytes of a connection.
///
/// A place is a number of bytes and not a time, so that a plan has nearly the same effect on a busy machine.
public struct ConnectionFault: Sendable, Hashable, Codable {
    /// The direction of the bytes, as seen from the end with the fault.
    public enum Direction: String, Sendable, Hashable, Codable, CaseIterable {
        /// The bytes that this end reads.
        case reading
        /// The bytes that this end writes.
        case writing
    }

    /// What happens at the place. Times are rounded to milliseconds.
    public enum Kind: Sendable, Hashable, Codable {
        /// The next `length` bytes move in pieces of at most `piece` bytes each. A value less than 1 counts as 1.
        case split(piece: Int, length: Int)
        /// Nothing moves once for this time. Meanwhile writes are refused, as if the peer did not read. Incoming bytes
        /// are held back, up to 1 MiB. Further bytes end the stall.
        case stall(Duration)
        /// The connection breaks, possibly in the middle of a message.
        case cut
        /// The worker at the other end is killed with its process group (SIGKILL). If the other end is no worker,
        /// nothing happens.
        case kill
        /// The worker at the other end is stopped for this time with its process group (SIGSTOP, then SIGCONT). If the
        /// other end is no worker, nothing happens.
        case pause(Duration)
    }

    /// The number of the connection among those to which the plan applies, in the order in which they begin. The first
    /// one is 0.
    public let connection: Int
    /// The direction that has the fault.
    public let direction: Direction
    /// The number of bytes that move in that direction before the fault. The fault happens when the next byte is about
    /// to move. If no byte follows, it does not happen. Faults at the same place happen in the order of the plan.
    public let place: UInt64
    /// The kind of the fault.
    public let kind: Kind

    /// Creates a fault at a place.
    public init(_ direction: Direction, at place: UInt64, _ kind: Kind, on connection: Int = 0) {
        self.connection = connection
        self.direction = direction
        self.place = place
        self.kind = kind
    }
}

extension ConnectionFault: CustomStringConvertible {
    /// A phrase with the connection, the place and the fault, such as "connection 0, byte 300 of writing: breaks".
    public var description: String {
        let moment = "connection \(connection), byte \(place) of \(direction.rawValue): "
        return switch kind {
        case .split(let piece, let length): moment + "\(length) bytes in pieces of \(piece)"
        case .stall(let duration): moment + "stalls for \(duration)"
        case .cut: moment + "breaks"
        case .kill: moment + "the worker is killed"
        case .pause(let duration): moment + "the worker is stopped for \(duration)"
        }
    }
}
