/// Until when somebody has a use for what the running task does.
package enum TaskDeadline {
    /// nil: for ever.
    @TaskLocal package static var current: ContinuousClock.Instant?
}
