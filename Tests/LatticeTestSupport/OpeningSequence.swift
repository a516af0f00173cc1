package import LatticeSession
import LatticeWire

/// What an opener does with the numbers of channels, of which the last step is not allowed.
package struct OpeningSequence: Sendable {
    package enum Step: Sendable {
        case open(UInt32)
        /// Of a feature that nobody serves.
        case openStranger(UInt32)
        /// With a state of two chunks.
        case openLarge(UInt32)
        case close(UInt32)
    }

    package let testDescription: String
    package let steps: [Step]
    /// What the opener is told.
    package let sentence: String

    package static let all = [
        OpeningSequence("twice", [.open(1), .open(1)], 1, after: 1),
        OpeningSequence("again after it was closed", [.open(2), .close(2), .open(2)], 2, after: 2),
        OpeningSequence("again after it was refused", [.openStranger(3), .open(3)], 3, after: 3),
        OpeningSequence("lower than one before", [.open(5), .open(4)], 4, after: 5),
        OpeningSequence("left out and used later", [.open(1), .open(7), .close(7), .open(3)], 3, after: 7),
        OpeningSequence("with a large state", [.open(2), .close(2), .openLarge(2)], 2, after: 2),
    ]

    private init(_ name: String, _ steps: [Step], _ number: UInt32, after highest: UInt32) {
        testDescription = name
        self.steps = steps
        sentence =
            "the other side says that this side broke the protocol: An open names channel \(number) after channel"
            + " \(highest); each open names a higher number than all before it. [outOfOrder]"
    }

    /// - Parameter feature: One that is served.
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
