import UnixSignals

/// SIGINT, SIGTERM and SIGHUP as values, instead of the end of the process.
enum Signals {
    /// The number of the first one that comes; nil if the task is cancelled before.
    static func next() async -> Int32? {
        for await signal in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) {
            return signal.rawValue
        }
        return nil
    }
}
