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
public struct Waiters<Value: Sendable>: Sendable {
    public typealias Continuation = CheckedContinuation<Value, Never>

    public struct ID: Hashable, Sendable {
        @usableFromInline var number: UInt64 = 0

        @inlinable
        init() {}
    }

    // Public and inlined everywhere, as `Locked` is and for the same measurement: events are waited for with it.
    @usableFromInline var continuations: [ID: Continuation] = [:]
    @usableFromInline var lastID = ID()

    @inlinable
    public init() {}

    @inlinable
    public var isEmpty: Bool {
        continuations.isEmpty
    }

    /// Names a waiter, so that it can be cancelled before or after it was added.
    @inlinable
    public mutating func makeID() -> ID {
        lastID.number += 1
        return lastID
    }

    /// Adds the task that calls this, from the body of its continuation.
    ///
    /// One whose task was cancelled before is not added: its cancellation handler, which takes it out under the same
    /// lock, may have looked for it already.
    /// - Returns: false if the task was cancelled; then the caller resumes the continuation.
    @inlinable
    public mutating func add(_ continuation: Continuation, as id: ID, isCancelled: Bool = Task.isCancelled) -> Bool {
        guard !isCancelled else { return false }
        continuations[id] = continuation
        return true
    }

    /// Adds a waiter whose task may be cancelled without ending the wait.
    @inlinable
    @discardableResult
    public mutating func add(_ continuation: Continuation) -> ID {
        let id = makeID()
        continuations[id] = continuation
        return id
    }

    /// Takes out one waiter, if it still waits.
    @inlinable
    public mutating func take(_ id: ID) -> Continuation? {
        continuations.isEmpty ? nil : continuations.removeValue(forKey: id)
    }

    /// Takes out all of them, to be resumed outside the lock.
    @inlinable
    public mutating func takeAll() -> Self {
        defer { continuations = [:] }
        return self
    }

    /// Resumes those that were taken out.
    @inlinable
    public consuming func resume(returning value: Value) {
        for continuation in continuations.values { continuation.resume(returning: value) }
    }
}

extension Waiters where Value == Void {
    @inlinable
    public consuming func resume() {
        resume(returning: ())
    }
}
