/// The time after which the result of the running task is no longer needed.
package enum TaskDeadline {
    /// The deadline of the running task, or nil if it has none.
    @TaskLocal package static var current: ContinuousClock.Instant?
}
