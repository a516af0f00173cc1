import CLatticeThreads

/// A place where one thread waits until another thread wakes it.
final class Parking: @unchecked Sendable {
    // The conformance is unchecked because the object behind the pointer has a lock of its own.
    private let parking: OpaquePointer

    init() {
        guard let parking = lattice_parking_make() else {
            // Swift traps too if it cannot allocate an object.
            fatalError("There is no memory left for a thread to wait.")
        }
        self.parking = parking
    }

    deinit {
        lattice_parking_free(parking)
    }

    /// Waits until the thread is woken. If `unpark` was called before, returns at once.
    ///
    /// - Parameter nanoseconds: The maximum time to wait, or nil to wait without a limit.
    /// - Returns: A Boolean value that indicates whether the thread was woken before the time had passed.
    func park(nanoseconds: Int64? = nil) -> Bool {
        lattice_park(parking, nanoseconds.map { max($0, 0) } ?? -1) == 1
    }

    /// Wakes the waiting thread, or the next one that waits.
    func unpark() {
        lattice_unpark(parking)
    }
}
