import UnixSignals

/// SIGINT, SIGTERM, SIGHUP and SIGWINCH as values, so that none of them ends the process.
struct Signals: Sendable {
    private let sequence: UnixSignalsSequence

    static func trap() async -> Signals {
        Signals(sequence: await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup, .sigwinch))
    }

    /// The number of the first one that ends programs; nil if the task is cancelled before.
    /// - Parameter resized: Called each time the terminal's size has changed.
    func next(resized: @MainActor () -> Void) async -> Int32? {
        for await signal in sequence {
            guard signal == .sigwinch else { return signal.rawValue }
            await resized()
        }
        return nil
    }
}
