import IssueReporting
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Detects reads of `@WorkerLocal` parts where they have no value: in a reducer, and in the closure with which a test
/// describes the expected state. Such a read is reported as an issue and returns the initial value.
///
/// One variable per process is enough, because all view models are on the main actor. A task-local value would make
/// each turn ten times as expensive.
@usableFromInline
package enum WorkerLocalAccess {
    /// The thread on which a reducer runs, or 0 if none runs.
    private static let thread = Atomic<UInt>(0)

    /// Calls `body`. Reading a `@WorkerLocal` part in it is reported as an issue.
    @MainActor
    package static func deny<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // A reducer can create a view model, which runs a reducer too.
        let outer = thread.load(ordering: .relaxed)
        thread.store(current, ordering: .relaxed)
        defer { thread.store(outer, ordering: .relaxed) }
        return try body()
    }

    /// Whether the calling thread is inside such a call.
    @usableFromInline
    static var isDenied: Bool {
        let thread = thread.load(ordering: .relaxed)
        return thread != 0 && thread == current
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

    private static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        pthread_self()
        #endif
    }
}
