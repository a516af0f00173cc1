import Observation
import UnixSignals

/// SIGINT, SIGTERM, SIGHUP and SIGWINCH as values, so that none of them ends the process.
@MainActor @Observable final class Signals {
    /// The number of the first one that ends programs.
    private(set) var ending: Int32?
    /// How often the terminal's size has changed.
    private(set) var resizes = 0
    @ObservationIgnored private let sequence: UnixSignalsSequence

    private init(_ sequence: UnixSignalsSequence) {
        self.sequence = sequence
    }

    static func trap() async -> Signals {
        Signals(await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigwinch))
    }

    /// Follows what comes until the task is cancelled. Once: a sequence of signals has one reader.
    func follow() async {
        for await signal in sequence {
            if signal == .sigwinch { resizes += 1 } else { ending = ending ?? signal.rawValue }
        }
    }

    /// The end that the first signal is; nil if the task is cancelled before.
    func end() async -> Ending? {
        for await number in Observations({ self.ending }) {
            if let number { return .signal(number) }
        }
        return nil
    }
}
