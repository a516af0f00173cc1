import LatticeConcurrency

/// A value that tests change from any thread and wait for. What waits is ended by the time limit of its test.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Contents {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var next = 0
    }

    private let contents: Locked<Contents>

    init(_ value: Value) {
        contents = Locked(Contents(value: value))
    }

    var value: Value { contents.withLock { $0.value } }

    func change(_ body: @Sendable (inout Value) -> Void) {
        let due = contents.withLock { contents -> [Waiter] in
            body(&contents.value)
            let due = contents.waiters.filter { $0.value.condition(contents.value) }
            for key in due.keys { contents.waiters[key] = nil }
            return Array(due.values)
        }
        for waiter in due { waiter.continuation.resume() }
    }

    func until(_ condition: @escaping @Sendable (Value) -> Bool) async throws {
        let key = contents.withLock { contents in
            contents.next += 1
            return contents.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = contents.withLock { contents in
                    if condition(contents.value) || Task.isCancelled { return true }
                    contents.waiters[key] = Waiter(condition: condition, continuation: continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            contents.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(
                throwing: CancellationError()
            )
        }
    }
}
