import Observation
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// SIGINT, SIGTERM and SIGHUP as a value. None of them ends the process until they are released.
@MainActor @Observable package final class Signals {
    private var number: Int32?
    /// The previous action of each signal.
    @ObservationIgnored private let actions: [(Int32, sigaction)]

    private init() {
        actions = [SIGINT, SIGTERM, SIGHUP].map { number in
            var action = sigaction()
            sigaction(number, nil, &action)
            return (number, action)
        }
    }

    /// Traps the signals. After this function has returned, none of them ends the process.
    package static func trap() async -> Signals {
        let signals = Signals()
        let sequence = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        // This task runs as long as the process.
        Task { for await signal in sequence { signals.number = signals.number ?? signal.rawValue } }
        return signals
    }

    /// Restores the previous actions of the signals. Ending the sequence would not restore them.
    package func release() {
        for (number, var action) in actions { sigaction(number, &action, nil) }
        // The kernel does not apply default actions to process 1, such as the first process of a container.
        guard getpid() == 1 else { return }
        for (number, _) in actions {
            if let handler = signal(number, { _exit(128 + $0) }) { signal(number, handler) }
        }
    }

    /// Waits for the first signal and returns its number. Each caller gets the same number. Returns nil if the task is
    /// cancelled before.
    package func first() async -> Int32? {
        for await number in Observations({ self.number }) {
            if let number { return number }
        }
        return nil
    }
}
