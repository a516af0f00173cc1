import LatticeCore

/// An event that a test has sent, and whose effects may be running.
struct SentEvent<Action: Sendable>: Sendable {
    let action: Action
    let task: EventTask
    /// The test has been told already that its effects do not end.
    var isReported = false

    var isRunning: Bool { task.outcome == nil }
}
