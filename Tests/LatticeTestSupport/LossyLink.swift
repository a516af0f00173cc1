import LatticeConcurrency
import LatticeTransport

/// Moves messages between two ends, at most ``maximumBytes`` each, and loses some of them or swaps them with the next,
/// as a relay or a radio does. What is lost is drawn from a seed.
package final class LossyLink: @unchecked Sendable {
    // Unchecked: the ends are set once, before anybody else sees the link; `ways` is a lock.

    package static let maximumBytes = 1 << 20

    /// How many of a thousand messages have it, and which: drawn from a seed.
    package struct Faults: Sendable {
        package enum Fate {
            case arrives
            case lost
            /// Comes after the next one.
            case swapped
        }

        package var lost: Int
        package var swapped: Int
        package var seed: UInt64

        package static let none = Faults(lost: 0, swapped: 0, seed: 1)

        package init(lost: Int, swapped: Int, seed: UInt64) {
            (self.lost, self.swapped, self.seed) = (lost, swapped, seed)
        }

        /// What happens to a message of this number to the end at this place, 0 or 1.
        package func fate(of number: UInt64, to place: Int) -> Fate {
            var bits = seed &* 0x9e37_79b9_7f4a_7c15 &+ number &* 0xbf58_476d_1ce4_e5b9 &+ UInt64(place)
            for shift in [30, 27, 31] as [UInt64] { bits = (bits ^ bits >> shift) &* 0x94d0_49bb_1331_11eb }
            let drawn = Int(bits >> 32 % 1000)
            return drawn < lost ? .lost : drawn < lost + swapped ? .swapped : .arrives
        }
    }

    private struct Way {
        /// Comes after the next one.
        var heldBack: LinkMessage?
        /// Numbers for messages that have none of their own.
        var count: UInt64 = 1 << 32
    }

    private let faults: Faults
    private let ways = Locked([Way(), Way()])
    private weak var first: MessageConnection?
    private weak var second: MessageConnection?

    init(_ faults: Faults) {
        self.faults = faults
    }

    func connect(_ first: MessageConnection, _ second: MessageConnection) {
        (self.first, self.second) = (first, second)
    }

    /// - Parameter place: Of the receiver, 0 or 1.
    func send(_ message: LinkMessage, to place: Int) {
        precondition(message.byteCount <= Self.maximumBytes, "A message has at most \(Self.maximumBytes) bytes.")
        let arriving = ways.withLock { next(message, to: place, &$0[place]) }
        guard let receiver = place == 0 ? first : second, !arriving.isEmpty else { return }
        receiver.eventLoop.execute { for message in arriving { receiver.receive(message) } }
    }

    /// What arrives now.
    private func next(_ message: LinkMessage, to place: Int, _ way: inout Way) -> [LinkMessage] {
        way.count += 1
        switch faults.fate(of: message.number ?? way.count, to: place) {
        case .lost:
            return []
        case .swapped where way.heldBack == nil:
            way.heldBack = message
            return []
        case .swapped, .arrives:
            defer { way.heldBack = nil }
            return [message, way.heldBack].compactMap(\.self)
        }
    }
}

/// What goes over a ``LossyLink``. Everything but data and end may be lost, doubled or late without harm.
enum LinkMessage: Sendable {
    /// Numbered from 0 in each direction, with the end.
    case data(UInt64, [UInt8])
    /// Nothing follows, and nothing is read any more.
    case end(UInt64)
    /// So many numbered ones were sent.
    case sent(UInt64)
    /// So many numbered ones have come, and so many bytes of them were read.
    case seen(UInt64, bytes: Int)
    /// One did not come.
    case broken

    var number: UInt64? {
        switch self {
        case .data(let number, _), .end(let number): number
        case .sent, .seen, .broken: nil
        }
    }

    /// With a head of 16 bytes.
    var byteCount: Int {
        if case .data(_, let bytes) = self { 16 + bytes.count } else { 16 }
    }
}
