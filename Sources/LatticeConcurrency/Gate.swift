#if os(Linux)
#if DEBUG
public import CLatticeThreads
#else
import CLatticeThreads
#endif
public import Synchronization

/// A lock without a value. The next running thread takes it, even if other threads have waited longer.
///
/// The implementation is the lock with three states from Drepper's "Futexes Are Tricky". A thread that finds the gate
/// taken spins for a moment, and then sleeps in the kernel until the gate is left.
public struct Gate: ~Copyable, Sendable {
    /// The states of a gate.
    ///
    /// - `free`: The next thread can enter.
    /// - `held`: A thread has entered, and none sleeps.
    /// - `contended`: A thread has entered, and other threads may sleep.
    @usableFromInline enum State {
        @usableFromInline static let free: UInt32 = 0
        @usableFromInline static let held: UInt32 = 1
        @usableFromInline static let contended: UInt32 = 2
    }

    /// The number of times that a thread checks the gate before it sleeps. Most locks are held for less time than a
    /// sleep and a wake-up take.
    private static let spins = 64

    @usableFromInline let state = Atomic<UInt32>(0)

    #if DEBUG
    /// The ordinal of the thread that has entered plus 1, or 0 if no thread has.
    @usableFromInline let owner = Atomic<UInt32>(0)
    #endif

    /// The number of times that the threads of this program have entered any gate. Nil in release builds, which do not
    /// count, because the count would cost as much as a lock.
    package static var entries: Int? {
        #if DEBUG
        Int(lattice_locks_taken())
        #else
        nil
        #endif
    }

    /// Creates a gate that is free.
    @inlinable public init() {}

    /// Enters as soon as the gate is free.
    @inlinable
    public borrowing func enter() {
        // The states are written as numbers because a debug build would call a function for each name.
        if !state.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { wait() }
        #if DEBUG
        owner.store(lattice_thread_ordinal() + 1, ordering: .relaxed)
        lattice_count_lock()
        lattice_delay_at_random()
        #endif
    }

    /// Leaves the gate, so that the next thread can enter.
    @inlinable
    public borrowing func leave() {
        #if DEBUG
        lattice_delay_at_random()
        owner.store(0, ordering: .relaxed)
        #endif
        if state.exchange(0, ordering: .releasing) == 2 { wake() }
    }

    @usableFromInline @inline(never)
    borrowing func wait() {
        #if DEBUG
        precondition(
            owner.load(ordering: .relaxed) != lattice_thread_ordinal() + 1,
            "This thread already holds the lock. Leave the lock before you call a function that takes it."
        )
        #endif
        for _ in 0..<Self.spins {
            if state.load(ordering: .relaxed) == State.free {
                let step = state.compareExchange(expected: State.free, desired: State.held, ordering: .acquiring)
                if step.exchanged { return }
            }
            lattice_pause()
        }
        // From here on, the thread that leaves assumes that others sleep. An unnecessary wake-up does no harm.
        while state.exchange(State.contended, ordering: .acquiring) != State.free {
            withUnsafePointer(to: state) { lattice_wait_for_change($0, State.contended) }
        }
    }

    @usableFromInline @inline(never)
    borrowing func wake() {
        withUnsafePointer(to: state) { lattice_wake_one($0) }
    }
}
#endif
