import CCounters

/// What this program allocates. nil where nobody counts: with another C library than glibc, and under a sanitizer.
enum Allocations {
    /// Of the calling thread, since it began.
    static var ofThisThread: Int? { known(lattice_allocations_of_this_thread()) }

    /// Of all threads, and not given back.
    static var bytesInUse: Int? { known(lattice_bytes_in_use()) }

    private static func known(_ figure: Int64) -> Int? { figure < 0 ? nil : Int(figure) }
}
