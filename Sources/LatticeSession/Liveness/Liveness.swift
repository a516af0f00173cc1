/// The times that control how a session checks that the other side is alive.
package struct Liveness: Sendable, Equatable {
    /// The time between two pings.
    package var interval: Duration
    /// The time to wait for an answer. After it the other side is given up.
    package var timeout: Duration
    /// The time to wait for an answer before the owner of the session is notified that the answer is late. If `nil`,
    /// the owner is never notified.
    package var patience: Duration?

    /// Creates a value with the given times.
    package init(interval: Duration, timeout: Duration, patience: Duration? = nil) {
        self.interval = interval
        self.timeout = timeout
        self.patience = patience
    }
}
