import LatticeConcurrency
import LatticeTransport

/// A link between two connections that loses some messages and swaps others with the next one.
///
/// A message has at most ``maximumBytes``. A seed determines which messages are lost or swapped.
package final class LossyLink: @unchecked Sendable {
    // Unchecked: `connect` sets the ends once, before the link is shared. A lock protects `directions`.

    /// The maximum size of a message, including its header of 16 bytes.
    package static let maximumBytes = 1 << 20

    /// The numbers of lost and swapped messages per thousand, and the seed that selects them.
    package struct Faults: Sendable {
        /// What the link does with a message.
        package enum Fate {
            /// The message is delivered.
            case arrives
            /// The message is dropped.
            case lost
            /// The message is delivered after the next one.
            case swapped
        }

        package var lost: Int
        package var swapped: Int
        package var seed: UInt64

        package static let none = Faults(lost: 0, swapped: 0, seed: 1)

        package init(lost: Int, swapped: Int, seed: UInt64) {
            (self.lost, self.swapped, self.seed) = (lost, swapped, seed)
        }

        /// Returns what happens to the message with this number on its way to the end at this place, 0 or 1.
        package func fate(of number: UInt64, to place: Int) -> Fate {
            var bits = seed &* 0x9e37_79b9_7f4a_7c15 &+ number &* 0xbf58_476d_1ce4_e5b9 &+ UInt64(place)
            for shift in [30, 27, 31] as [UInt64] { bits = (bits ^ bits >> shift) &* 0x94d0_49bb_1331_11eb }
            let drawn = Int(bits >> 32 % 1000)
            return drawn < lost ? .lost : drawn < lost + swapped ? .swapped : .arrives
        }
    }

    private struct Direction {
        /// A swapped message, which is delivered after the next one.
        var heldBack: LinkMessage?
        /// The number for the next message that has no number of its own.
        var count: UInt64 = 1 << 32
    }

    private let faults: Faults
    private let directions = Locked([Direction(), Direction()])
    private weak var first: MessageConnection?
    private weak var second: MessageConnection?

    init(_ faults: Faults) {
        self.faults = faults
    }

    func connect(_ first: MessageConnection, _ second: MessageConnection) {
        (self.first, self.second) = (first, second)
    }

    /// Sends a message, unless the faults drop it or hold it back.
    ///
    /// - Parameter place: The place of the receiver, 0 or 1.
    func send(_ message: LinkMessage, to place: Int) {
        precondition(message.byteCount <= Self.maximumBytes, "A message has at most \(Self.maximumBytes) bytes.")
        let arriving = directions.withLock { next(message, to: place, &$0[place]) }
        guard let receiver = place == 0 ? first : second, !arriving.isEmpty else { return }
        receiver.eventLoop.execute { for message in arriving { receiver.receive(message) } }
    }

    /// Returns the messages that are delivered now.
    private func next(_ message: LinkMessage, to place: Int, _ direction: inout Direction) -> [LinkMessage] {
        direction.count += 1
        switch faults.fate(of: message.number ?? direction.count, to: place) {
        case .lost:
            return []
        case .swapped where direction.heldBack == nil:
            direction.heldBack = message
            return []
        case .swapped, .arrives:
            defer { direction.heldBack = nil }
            return [message, direction.heldBack].compactMap(\.self)
        }
    }
}

/// A message on a ``LossyLink``. Only `data` and `end` must arrive once and in order.
enum LinkMessage: Sendable {
    /// Bytes. `data` and `end` messages are numbered from 0 in each direction.
    case data(UInt64, [UInt8])
    /// The sender has closed: it sends no more data and reads no more.
    case end(UInt64)
    /// The number of numbered messages that the sender has sent.
    case sent(UInt64)
    /// The number of numbered messages that have arrived, and the number of their bytes that were read.
    case seen(UInt64, bytes: Int)
    /// A numbered message is missing, so the connection is broken.
    case broken

    var number: UInt64? {
        switch self {
        case .data(let number, _), .end(let number): number
        case .sent, .seen, .broken: nil
        }
    }

    /// The size on the link, including a header of 16 bytes.
    var byteCount: Int {
        if case .data(_, let bytes) = self { 16 + bytes.count } else { 16 }
    }
}
