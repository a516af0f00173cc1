public import Synchronization

/// A value behind a lock that the next running thread takes.
///
/// On Linux a `Mutex` is handed in the kernel to the thread that has waited longest (FUTEX_LOCK_PI, futex(2)). While
/// that thread has no processor, all others wait, and more come: 20,000 calls that ended at once on two cores, beside
/// four programs that computed, had a thousand threads stand in line for ten seconds. So on Linux there is a ``Gate``,
/// which is open to the first thread that comes. Without contention it takes 22 ns where a `Mutex` takes 55 ns.
///
/// The thread sanitizer understands the gate, which is compiled with its callers. It does not see what a `Mutex` does
/// inside the kernel and the runtime.
///
/// Public, although no product shows this module: of a function that is not, other modules get the call and not its
/// body, and that cost 0.5 µs an event, measured with `latticectl bench session`.
public struct Locked<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: the value is touched inside the lock only.
    #if os(Linux)
    @usableFromInline let gate = Gate()
    /// The place of the value, as a `Mutex` has it.
    @usableFromInline let cell: _Cell<Value>
    #else
    @usableFromInline let mutex: Mutex<Value>
    #endif

    @inlinable
    public init(_ value: consuming sending Value) {
        #if os(Linux)
        cell = _Cell(value)
        #else
        mutex = Mutex(value)
        #endif
    }

    /// Calls `body` with the value, while no other thread has it. Do not call it again from inside `body`.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if os(Linux)
        gate.enter()
        defer { gate.leave() }
        return try body(&cell._address.pointee)
        #else
        return try mutex.withLock { value throws(Failure) in try body(&value) }
        #endif
    }
}
