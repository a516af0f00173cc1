/// Who waits for something: a value inside somebody's lock.
///
/// Whoever waits adds itself under the lock, and whoever ends the wait takes it out there and resumes it outside:
///
/// ```swift
/// let id = core.withLock { $0.waiters.makeID() }
/// await withTaskCancellationHandler {
///     await withCheckedContinuation { continuation in
///         if !core.withLock({ $0.waiters.add(continuation, as: id) }) { continuation.resume() }
///     }
/// } onCancel: {
///     core.withLock { $0.waiters.take(id) }.resume()
/// }
/// ```
package struct Waiters<Value: Sendable>: Sendable {
    package typealias Continuation = CheckedContinuation<Value, Never>

    package struct ID: Hashable, Sendable {
        @usableFromInline var number: UInt64 = 0

        @inlinable
        init() {}
    }

    /// One waiter at a time is the usual case, and takes no memory of its own.
    @usableFromInline
    enum Storage: Sendable {
        case none
        case one(ID, Continuation)
        case many([ID: Continuation])
    }

    // Inlined everywhere, because a generic type of another module is slow otherwise, and events are waited for with it.
    @usableFromInline var storage = Storage.none
    @usableFromInline var lastID = ID()

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool {
        if case .none = storage { true } else { false }
    }

    /// Names a waiter, so that it can be cancelled before or after it was added.
    @inlinable
    package mutating func makeID() -> ID {
        lastID.number += 1
        return lastID
    }

    /// Adds the task that calls this, from the body of its continuation.
    ///
    /// One whose task was cancelled before is not added: its cancellation handler, which takes it out under the same
    /// lock, may have looked for it already.
    /// - Returns: false if the task was cancelled; then the caller resumes the continuation.
    @inlinable
    package mutating func add(_ continuation: Continuation, as id: ID, isCancelled: Bool = Task.isCancelled) -> Bool {
        guard !isCancelled else { return false }
        insert(continuation, id)
        return true
    }

    /// Adds a waiter whose task may be cancelled without ending the wait.
    @inlinable
    @discardableResult
    package mutating func add(_ continuation: Continuation) -> ID {
        let id = makeID()
        insert(continuation, id)
        return id
    }

    @inlinable
    mutating func insert(_ continuation: Continuation, _ id: ID) {
        switch storage {
        case .none: storage = .one(id, continuation)
        case .one(let other, let first): storage = .many([other: first, id: continuation])
        case .many(var waiters):
            storage = .none
            waiters[id] = continuation
            storage = .many(waiters)
        }
    }

    /// Takes out one waiter, if it still waits.
    @inlinable
    package mutating func take(_ id: ID) -> Continuation? {
        switch storage {
        case .one(id, let continuation):
            storage = .none
            return continuation
        case .many(var waiters):
            storage = .none
            let continuation = waiters.removeValue(forKey: id)
            storage = waiters.isEmpty ? .none : .many(waiters)
            return continuation
        case .none, .one:
            return nil
        }
    }

    /// Takes out all of them, to be resumed outside the lock.
    @inlinable
    package mutating func takeAll() -> Self {
        defer { storage = .none }
        return self
    }

    /// Resumes those that were taken out.
    @inlinable
    package consuming func resume(returning value: Value) {
        switch storage {
        case .none: break
        case .one(_, let continuation): continuation.resume(returning: value)
        case .many(let waiters): for waiter in waiters.values { waiter.resume(returning: value) }
        }
    }
}

extension Waiters where Value == Void {
    @inlinable
    package consuming func resume() {
        resume(returning: ())
    }
}
