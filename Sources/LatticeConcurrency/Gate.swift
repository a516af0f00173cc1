#if os(Linux)
#if DEBUG
public import CLatticeThreads
#else
import CLatticeThreads
#endif
public import Synchronization

/// A lock without a value. The next thread that runs takes it, whether or not others have waited for longer.
///
/// It is the lock with three states of Drepper's "Futexes Are Tricky". A thread that finds the gate taken looks again
/// for a moment and then sleeps in the kernel until the gate is left.
public struct Gate: ~Copyable, Sendable {
    /// The states of a gate.
    ///
    /// - `free`: the next thread passes.
    /// - `held`: a thread has passed, and no other one sleeps.
    /// - `contended`: a thread has passed, and others may sleep.
    @usableFromInline enum State {
        @usableFromInline static let free: UInt32 = 0
        @usableFromInline static let held: UInt32 = 1
        @usableFromInline static let contended: UInt32 = 2
    }

    /// How often a thread looks again before it sleeps. Most locks are held for less time than it takes to sleep and to
    /// be woken.
    private static let looks = 64

    @usableFromInline let state = Atomic<UInt32>(0)

    #if DEBUG
    /// The ordinal of the thread that has passed, plus 1; 0: none has.
    @usableFromInline let owner = Atomic<UInt32>(0)
    #endif

    @inlinable public init() {}

    /// Passes as soon as no other thread has.
    @inlinable
    public borrowing func enter() {
        // The numbers stand here, as a debug build would call a function for each name.
        if !state.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged { wait() }
        #if DEBUG
        owner.store(lattice_thread_ordinal() + 1, ordering: .relaxed)
        lattice_delay_at_random()
        #endif
    }

    /// Lets the next thread pass.
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
            "This thread holds the lock already; leave the lock before you call what takes it again."
        )
        #endif
        for _ in 0..<Self.looks {
            if state.load(ordering: .relaxed) == State.free {
                let step = state.compareExchange(expected: State.free, desired: State.held, ordering: .acquiring)
                if step.exchanged { return }
            }
            lattice_pause()
        }
        // From here on the thread that leaves takes it that others sleep. One call of the kernel too many does no harm.
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
