import CLatticeThreads

/// Where one thread waits until another one calls it.
final class Parking: @unchecked Sendable {
    // Unchecked: what the pointer leads to has a lock of its own.
    private let parking: OpaquePointer

    init() {
        guard let parking = lattice_parking_make() else {
            fatalError("There is no memory for a thread to wait")  // As where Swift itself finds none for an object.
        }
        self.parking = parking
    }

    deinit {
        lattice_parking_free(parking)
    }

    /// Waits for a call, for so many nanoseconds at most; nil is for as long as it takes. A call that came before
    /// counts.
    /// - Returns: whether there was one.
    func park(nanoseconds: Int64? = nil) -> Bool {
        lattice_park(parking, nanoseconds.map { max($0, 0) } ?? -1) == 1
    }

    func unpark() {
        lattice_unpark(parking)
    }
}
