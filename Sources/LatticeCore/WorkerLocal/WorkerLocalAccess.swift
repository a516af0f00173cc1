import IssueReporting
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where parts of states that stay in the worker are not to be read: in what view models call with a state.
///
/// One place of the process can say so, since all view models are on the main actor. A task-local value would cost each
/// turn ten times as much.
@usableFromInline
package enum WorkerLocalAccess {
    /// The thread on which a reducer runs; 0 for none.
    private static let thread = Atomic<UInt>(0)

    /// Calls `body`, in which reading is reported.
    @MainActor
    package static func deny<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        // A reducer may make a view model, which reduces.
        let outer = thread.load(ordering: .relaxed)
        thread.store(current, ordering: .relaxed)
        defer { thread.store(outer, ordering: .relaxed) }
        return try body()
    }

    /// Whether the calling thread is in such a call.
    @usableFromInline
    static var isDenied: Bool {
        let thread = thread.load(ordering: .relaxed)
        return thread != 0 && thread == current
    }

    /// What is read there instead of the value, so that it is the same in each placement.
    @usableFromInline
    static func substitute<Value: WorkerLocalValue>() -> Value {
        reportIssue(
            """
            A @WorkerLocal part of a state, of type \(Value.self), was read where only what is sent may be: in a \
            reducer, or in what a test expects of a state. There it is as in a new worker. Put into the state what is \
            to be shown.
            """
        )
        return Value()
    }

    private static var current: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        pthread_self()
        #endif
    }
}
