/// How often the other side is asked whether it is there, and how long it may take to answer.
package struct Liveness: Sendable, Equatable {
    /// How often to ask.
    package var interval: Duration
    /// How long to wait for an answer before the other side is given up.
    package var limit: Duration
    /// How long to wait before whoever has the session is told that the answer is late; nil: never.
    package var patience: Duration?

    package init(interval: Duration, limit: Duration, patience: Duration? = nil) {
        self.interval = interval
        self.limit = limit
        self.patience = patience
    }
}
