import LatticeConcurrency

/// A value that tests can change from any thread and wait for.
///
/// A wait has no timeout, because the time limit of its test ends it.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let promise: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    private let contents: Locked<Contents>

    package init(_ value: Value) {
        contents = Locked(Contents(value: value))
    }

    /// The current value.
    package var value: Value { contents.withLock { $0.value } }

    /// Changes the value, and resumes the waits whose conditions then hold.
    package func change(_ body: @Sendable (inout Value) -> Void) {
        let due = contents.withLock { contents -> [Waiter] in
            body(&contents.value)
            let due = contents.waiters.filter { $0.value.condition(contents.value) }
            for key in due.keys { contents.waiters[key] = nil }
            return Array(due.values)
        }
        for waiter in due { waiter.promise.resume() }
    }

    /// Waits until the condition holds for the value, and returns the current value.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    package func until(_ condition: @escaping @Sendable (Value) -> Bool) async throws -> Value {
        let key = contents.withLock { contents in
            contents.next += 1
            return contents.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { promise in
                let isDue = contents.withLock { contents in
                    if condition(contents.value) || Task.isCancelled { return true }
                    contents.waiters[key] = Waiter(condition: condition, promise: promise)
                    return false
                }
                if isDue { promise.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: key) }?.promise.resume(throwing: CancellationError())
        }
        return value
    }
}
