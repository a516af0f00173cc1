/// The time after which the result of the running task is no longer needed.
package enum TaskDeadline {
    /// The deadline of the running task, which may be ``MonotonicDeadline/never``.
    @TaskLocal package static var current = MonotonicDeadline.never
}
