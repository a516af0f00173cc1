import CLatticeThreads
import Synchronization

/// The thread that runs an event loop. It changes when the loop starts a new one.
///
/// Public for the same reason as ``Locked``.
public final class LoopThread: Sendable {
    /// The number of the thread, or 0 while there is none.
    private let number = Atomic<UInt>(0)

    /// Creates the identity of a thread that has not started.
    package init() {}

    /// A Boolean value that indicates whether the caller runs on this thread.
    public var isCurrent: Bool { number.load(ordering: .relaxed) == lattice_this_thread() }

    /// Makes the calling thread the event loop's thread.
    package func begin() {
        number.store(lattice_this_thread(), ordering: .releasing)
    }

    /// Ends the calling thread's time as the event loop's thread, unless another thread has followed.
    ///
    /// The system gives the number to a later thread, which may not belong to the event loop.
    package func end() {
        _ = number.compareExchange(
            expected: lattice_this_thread(),
            desired: 0,
            ordering: .acquiringAndReleasing
        )
    }
}

/// A value that belongs to the thread of an event loop, without a lock.
///
/// A debug build stops the program if another thread opens the value. A release build does not check the thread. No
/// build checks exclusive access, because that check took 3 % of the CPU time of `lattice-bench session`. Accesses to
/// different stored properties of the value may overlap. Accesses to the same property must not.
///
/// ```swift
/// final class Receiver: Sendable {
///     private let decoder: LoopBound<FrameDecoder>
///
///     init(on eventLoop: any EventLoop) {
///         decoder = LoopBound(FrameDecoder(), to: eventLoop.thread)
///     }
///
///     func receive(_ bytes: UnsafeRawBufferPointer) throws {
///         try decoder.value.feed(bytes)
///     }
/// }
/// ```
///
/// Public for the same reason as ``Locked``.
public struct LoopBound<Value>: ~Copyable, @unchecked Sendable {
    // The conformance is unchecked because only one thread opens the value.
    @usableFromInline let storage: UnsafeMutablePointer<Value>
    @usableFromInline let thread: LoopThread

    /// Creates a value that belongs to a thread. Any thread can create it.
    @inlinable
    public init(_ value: consuming sending Value, to thread: LoopThread) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: value)
        self.thread = thread
    }

    /// The last owner may release the value on any thread.
    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// The value. Only the event loop's thread can read or change it.
    @inlinable
    public var value: Value {
        unsafeAddress { UnsafePointer(checkedStorage) }
        nonmutating unsafeMutableAddress { checkedStorage }
    }

    @inlinable
    var checkedStorage: UnsafeMutablePointer<Value> {
        assert(thread.isCurrent, "This value belongs to the thread of an event loop. Go there by execute.")
        return storage
    }
}
