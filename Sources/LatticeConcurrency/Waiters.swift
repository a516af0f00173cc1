/// A collection of suspended tasks, to be kept inside a lock of its owner.
///
/// A task adds its continuation under the lock. The code that ends the wait removes the continuation under the lock and
/// resumes it outside:
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
public struct Waiters<Value: Sendable>: Sendable {
    /// The continuation of a waiting task.
    public typealias Continuation = CheckedContinuation<Value, Never>

    /// The identity of a waiter within its collection.
    public struct ID: Hashable, Sendable {
        @usableFromInline var number: UInt64 = 0

        @inlinable
        init() {}
    }

    // The type is public and inlinable for the same reason as `Locked`, with the same measurement. Tasks wait for
    // events with it.
    @usableFromInline var continuations: [ID: Continuation] = [:]
    @usableFromInline var lastID = ID()

    /// Creates an empty collection.
    @inlinable
    public init() {}

    /// A Boolean value that indicates whether no task waits.
    @inlinable
    public var isEmpty: Bool {
        continuations.isEmpty
    }

    /// Returns a new identity, with which a waiter can be cancelled before or after it was added.
    @inlinable
    public mutating func makeID() -> ID {
        lastID.number += 1
        return lastID
    }

    /// Adds the continuation of the calling task. Call this function in the body of the continuation.
    ///
    /// If the task was already cancelled, the continuation is not added. The task's cancellation handler, which removes
    /// the waiter under the same lock, may already have run.
    ///
    /// - Returns: False if the task was cancelled. In this case the caller resumes the continuation.
    @inlinable
    public mutating func add(_ continuation: Continuation, as id: ID, isCancelled: Bool = Task.isCancelled) -> Bool {
        guard !isCancelled else { return false }
        continuations[id] = continuation
        return true
    }

    /// Adds a continuation whose wait does not end when its task is cancelled.
    @inlinable
    @discardableResult
    public mutating func add(_ continuation: Continuation) -> ID {
        let id = makeID()
        continuations[id] = continuation
        return id
    }

    /// Removes and returns a waiter, or returns nil if it no longer waits.
    @inlinable
    public mutating func take(_ id: ID) -> Continuation? {
        continuations.isEmpty ? nil : continuations.removeValue(forKey: id)
    }

    /// Removes and returns all waiters, so that the caller can resume them outside the lock.
    @inlinable
    public mutating func takeAll() -> Self {
        defer { continuations = [:] }
        return self
    }

    /// Resumes the waiters of a collection that ``takeAll()`` returned.
    @inlinable
    public consuming func resume(returning value: Value) {
        for continuation in continuations.values { continuation.resume(returning: value) }
    }
}

extension Waiters where Value == Void {
    /// Resumes the waiters of a collection that ``takeAll()`` returned.
    @inlinable
    public consuming func resume() {
        resume(returning: ())
    }
}
