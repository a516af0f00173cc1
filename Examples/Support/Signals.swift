import Observation
import UnixSignals

/// SIGINT, SIGTERM and SIGHUP as a value, so that none of them ends the process.
@MainActor @Observable package final class Signals {
    private var number: Int32?

    private init() {}

    /// From when this returns, none of them ends the process.
    package static func trap() async -> Signals {
        let signals = Signals()
        let sequence = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        // As long as the process.
        Task { for await signal in sequence { signals.number = signals.number ?? signal.rawValue } }
        return signals
    }

    /// The number of the first one that comes, for each that asks; nil if the task is cancelled before.
    package func first() async -> Int32? {
        for await number in Observations({ self.number }) {
            if let number { return number }
        }
        return nil
    }
}
