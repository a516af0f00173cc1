package import LatticeSession
import LatticeWire

/// A sequence of steps of an opener of channels. Its last step uses a channel number that is not allowed.
package struct OpeningSequence: Sendable {
    package enum Step: Sendable {
        /// Opens a channel.
        case open(UInt32)
        /// Opens a channel of a feature that is not hosted.
        case openStranger(UInt32)
        /// Opens a channel with a state of two chunks.
        case openLarge(UInt32)
        /// Closes a channel.
        case close(UInt32)
    }

    package let testDescription: String
    package let steps: [Step]
    /// The channel number that is not allowed.
    package let refusedNumber: UInt32

    /// The sequences of the side that began the session.
    package static let initiator =
        sequences(1, 3, 5, 7) + [OpeningSequence("of the other side", [.open(1), .open(4)], 4)]
    /// The sequences of the side that accepted the session.
    package static let acceptor =
        sequences(2, 4, 6, 8) + [OpeningSequence("of the other side", [.open(2), .open(5)], 5)]

    private static func sequences(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> [OpeningSequence] {
        [
            OpeningSequence("twice", [.open(a), .open(a)], a),
            OpeningSequence("again after it was closed", [.open(b), .close(b), .open(b)], b),
            OpeningSequence("again after it was refused", [.openStranger(b), .open(b)], b),
            OpeningSequence("lower than an earlier one", [.open(c), .open(b)], b),
            OpeningSequence("left out and used later", [.open(a), .open(d), .close(d), .open(b)], b),
            OpeningSequence("with a large state", [.open(b), .close(b), .openLarge(b)], b),
        ]
    }

    private init(_ name: String, _ steps: [Step], _ number: UInt32) {
        testDescription = name
        self.steps = steps
        refusedNumber = number
    }

    /// Performs the steps on a session.
    ///
    /// - Parameter feature: The identifier of a hosted feature.
    package func send(on session: Session, feature: String) {
        for step in steps {
            session.send { queue in
                switch step {
                case .open(let number): queue.addOpen(Open(feature: feature, schema: 1), on: number)
                case .openStranger(let number): queue.addOpen(Open(feature: "stranger", schema: 1), on: number)
                case .openLarge(let number):
                    let state = [UInt8](repeating: 0, count: FrameLimits.maximumBody)
                    queue.addOpen(Open(feature: feature, schema: 1, state: state), on: number)
                case .close(let number): queue.addData(Close(), on: number)
                }
            }
        }
    }
}
