import CLatticeThreads
import IssueReporting

/// Detects reads of `@WorkerLocal` parts where they have no value: in a reducer, and in the closure with which a test
/// describes the expected state. Such a read is reported as an issue and returns the initial value.
///
/// The flag belongs to the thread, because reducers run on the main actor and on the threads of a coordinator. A
/// task-local value would make each turn ten times as expensive.
@usableFromInline
package enum WorkerLocalAccess {
    /// Calls `body`. Reading a `@WorkerLocal` part in it is reported as an issue.
    package static func deny<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // A reducer can create a view model, which runs a reducer too.
        let outer = lattice_deny_worker_local(1)
        defer { _ = lattice_deny_worker_local(outer) }
        return try body()
    }

    /// Whether the calling thread is inside such a call.
    @usableFromInline
    static var isDenied: Bool {
        lattice_is_worker_local_denied() != 0
    }

    /// Returns the initial value and reports an issue. The read has the same result in every placement.
    @usableFromInline
    static func substitute<Value: _WorkerLocalInitial>() -> Value {
        reportIssue(
            """
            A @WorkerLocal property of type \(Value.self) was read in a reducer, or in what a test expects of a state. \
            Worker-local values are not available there, so the initial value was returned. Store data that is shown \
            in another property of the state.
            """
        )
        return Value._workerLocalInitial
    }
}
