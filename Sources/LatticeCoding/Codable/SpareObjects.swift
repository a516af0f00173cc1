import CLatticeThreads
import Synchronization

/// Unused objects that are kept for the next caller that needs one. It can be used on any thread, without waiting.
///
/// A lock around an optional is slower. It made the coding of a small value 150 ns slower, which took 400 ns before.
/// Neighbouring threads have places of their own, which are on different cache lines. With one place, two threads that
/// decoded at the same time passed its cache line to and fro, and created objects while it was empty, which took 6 % of
/// the CPU time of `lattice-bench session --only deliveries`.
struct SpareObjects<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    // Unchecked: the code that stores an object here has the only reference to it, and gives that reference up.
    private let places: UnsafeMutablePointer<SparePlace>
    /// The number of places, which is a power of two. More threads share places.
    static var count: Int { 16 }

    init() {
        places = .allocate(capacity: Self.count)
        for index in 0..<Self.count { (places + index).initialize(to: SparePlace()) }
    }

    deinit {
        for index in 0..<Self.count {
            let object = places[index].slot.load(ordering: .acquiring)
            object.map { Unmanaged<Object>.fromOpaque($0).release() }
        }
        places.deinitialize(count: Self.count)
        places.deallocate()
    }

    func take() -> Object? {
        guard let pointer = place.pointee.slot.exchange(nil, ordering: .acquiring) else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Keeps the object unless one is kept already. The caller must have the only reference to it.
    func keep(_ object: consuming Object) {
        let unmanaged = Unmanaged.passRetained(object)
        let (isKept, _) = place.pointee.slot.compareExchange(
            expected: nil,
            desired: unmanaged.toOpaque(),
            ordering: .releasing
        )
        if !isKept { unmanaged.release() }
    }

    /// The place of the current thread.
    private var place: UnsafeMutablePointer<SparePlace> {
        places + Int(truncatingIfNeeded: lattice_thread_ordinal()) & (Self.count - 1)
    }
}

/// One of the places, with padding that keeps the next one off its cache line and off the line that is prefetched with
/// it.
private struct SparePlace: ~Copyable {
    let slot = Atomic<UnsafeMutableRawPointer?>(nil)
    private let distance = InlineArray<15, UInt64>(repeating: 0)
}
