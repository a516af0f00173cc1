import CLatticeThreads
import Synchronization

/// Objects that nobody uses, kept for the next who needs one. Any thread, without waiting.
///
/// A lock around an optional does the same in more time: it made the coding of a small value 150 ns slower, of 400 ns.
/// Neighbouring threads have places of their own, which lie apart: two that decode at a time passed the cache line of
/// the one place to and fro, and made objects while it was empty, for 6 % of the CPU of
/// `latticectl bench session --only deliveries`.
struct SpareObjects<Object: AnyObject>: ~Copyable, @unchecked Sendable {
    // Unchecked: whoever puts an object here has the only reference to it, and gives that away.
    private let places: UnsafeMutablePointer<SparePlace>
    /// Threads beyond these share places. A power of two.
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

    /// Keeps the object unless there is one already. It must have no other reference.
    func keep(_ object: consuming Object) {
        let unmanaged = Unmanaged.passRetained(object)
        let (isKept, _) = place.pointee.slot.compareExchange(
            expected: nil,
            desired: unmanaged.toOpaque(),
            ordering: .releasing
        )
        if !isKept { unmanaged.release() }
    }

    /// That of the thread that asks.
    private var place: UnsafeMutablePointer<SparePlace> {
        places + Int(truncatingIfNeeded: lattice_thread_ordinal()) & (Self.count - 1)
    }
}

/// One of the places, with room behind it that keeps the next one off its cache line, and off that which is loaded with
/// it.
private struct SparePlace: ~Copyable {
    let slot = Atomic<UnsafeMutableRawPointer?>(nil)
    private let distance = InlineArray<15, UInt64>(repeating: 0)
}
