import Dispatch

/// Signals as events of a queue.
enum SignalSources {
    /// The time that registering may take. It takes less than a millisecond unless the machine is very busy. After that
    /// time, a signal whose source is not registered has its default action until the source is.
    private static let timeout: DispatchTimeInterval = .seconds(5)

    /// Returns active sources that report signals. Keep them as long as the signals are to be reported.
    ///
    /// A source registers its signal on another thread. Until this function returns, a signal may have its default
    /// action: if it were ignored before, one that arrives meanwhile would be lost. Call it on another queue than the
    /// given one.
    ///
    /// - Parameters:
    ///   - numbers: The signals.
    ///   - queue: The queue on which they are handled.
    ///   - handler: Handles a signal.
    static func begin(
        _ numbers: [Int32],
        on queue: DispatchQueue,
        _ handler: @escaping @Sendable (Int32) -> Void
    ) -> [any DispatchSourceProtocol] {
        let registrations = DispatchGroup()
        let sources = numbers.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(number) }
            registrations.enter()
            source.setRegistrationHandler { registrations.leave() }
            source.activate()
            return source
        }
        _ = registrations.wait(timeout: .now() + timeout)
        return sources
    }
}
