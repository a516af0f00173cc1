import UnixSignals

/// SIGINT, SIGTERM and SIGHUP as values, instead of the end of the process.
struct Signals: Sendable {
    private let sequence: UnixSignalsSequence

    /// From when this returns, none of them ends the process.
    static func trap() async -> Signals {
        Signals(sequence: await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup))
    }

    /// The number of the first one that comes; nil if the task is cancelled before.
    func next() async -> Int32? {
        for await signal in sequence { return signal.rawValue }
        return nil
    }
}
