import Observation
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// SIGINT, SIGTERM and SIGHUP as a value, so that none of them ends the process until they are released.
@MainActor @Observable package final class Signals {
    private var number: Int32?
    /// What each did before.
    @ObservationIgnored private let actions: [(Int32, sigaction)]

    private init() {
        actions = [SIGINT, SIGTERM, SIGHUP].map { number in
            var action = sigaction()
            sigaction(number, nil, &action)
            return (number, action)
        }
    }

    /// From when this returns, none of them ends the process.
    package static func trap() async -> Signals {
        let signals = Signals()
        let sequence = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        // As long as the process.
        Task { for await signal in sequence { signals.number = signals.number ?? signal.rawValue } }
        return signals
    }

    /// Gives them back what they did before. That the sequence ends would not do it.
    package func release() {
        for (number, var action) in actions { sigaction(number, &action, nil) }
        // The system keeps the default of a signal from process 1, such as the first one of a container.
        guard getpid() == 1 else { return }
        for (number, _) in actions {
            if let handler = signal(number, { _exit(128 + $0) }) { signal(number, handler) }
        }
    }

    /// The number of the first one that comes, for each that asks; nil if the task is cancelled before.
    package func first() async -> Int32? {
        for await number in Observations({ self.number }) {
            if let number { return number }
        }
        return nil
    }
}
