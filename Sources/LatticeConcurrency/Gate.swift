#if os(Linux)
import CLatticeThreads
public import Synchronization

/// One thread at a time passes, and whoever waits sleeps: the lock with three states of Drepper's "Futexes Are Tricky".
public struct Gate: ~Copyable, Sendable {
    /// - `free`: whoever comes may pass.
    /// - `held`: somebody has passed, and nobody waits.
    /// - `contended`: somebody has passed, and others may wait.
    @usableFromInline enum State {
        @usableFromInline static let free: UInt32 = 0
        @usableFromInline static let held: UInt32 = 1
        @usableFromInline static let contended: UInt32 = 2
    }

    @usableFromInline let state = Atomic<UInt32>(State.free)

    /// What a turn at a lock takes at most, mostly: sleeping and being woken takes longer.
    private static let spins = 64

    @inlinable public init() {}

    @inlinable
    public borrowing func enter() {
        let step = state.compareExchange(expected: State.free, desired: State.held, ordering: .acquiring)
        if !step.exchanged { wait() }
    }

    @inlinable
    public borrowing func leave() {
        if state.exchange(State.free, ordering: .releasing) == State.contended { wake() }
    }

    @usableFromInline @inline(never)
    borrowing func wait() {
        for _ in 0..<Self.spins {
            if state.load(ordering: .relaxed) == State.free {
                let step = state.compareExchange(expected: State.free, desired: State.held, ordering: .acquiring)
                if step.exchanged { return }
            }
            lattice_pause()
        }
        // From now on it may be thought that somebody waits: one call too many of the system does no harm.
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
