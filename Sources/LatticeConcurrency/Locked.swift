public import Synchronization

/// A value behind a lock, as `Mutex` has it, that takes whoever runs.
///
/// On Linux a `Mutex` is handed to who has waited longest, in the kernel (FUTEX_LOCK_PI, futex(2)). While that one has
/// no processor all others wait, and come to wait the more: 20,000 calls that ended at once on two cores, beside four
/// programs that computed, had a thousand threads stand in line for ten seconds, and did them at 250 a second. So a
/// gate is before it that is open to whoever comes first, and the `Mutex` is never waited for: 20,000 take 2 seconds.
///
/// The thread sanitizer understands the gate, and not the inside of `Mutex`.
///
/// Public, although no product shows this module: of a function that is not, other modules get the call and not its
/// body, and that cost 0.5 µs an event, measured with `latticectl bench session`.
public struct Locked<Value: ~Copyable>: ~Copyable {
    @usableFromInline let value: Mutex<Value>
    #if os(Linux)
    @usableFromInline let gate = Gate()
    #endif

    @inlinable
    public init(_ value: consuming sending Value) {
        self.value = Mutex(value)
    }

    /// Calls `body` with the value, while nobody else has it. Not to be called again from inside `body`.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if os(Linux)
        gate.enter()
        defer { gate.leave() }
        #endif
        return try value.withLock { value throws(Failure) in try body(&value) }
    }
}

extension Locked: Sendable where Value: ~Copyable {}
