import CCounters

/// The allocations of this program. The values are nil with a C library other than glibc and under a sanitizer.
enum Allocations {
    /// The number of allocations of the calling thread since it began.
    static var ofThisThread: Int? { known(lattice_allocations_of_this_thread()) }

    /// The number of allocations of all threads of this program since it began.
    static var ofAllThreads: Int? { known(lattice_allocations_of_all_threads()) }

    /// The number of bytes that are allocated by all threads.
    static var bytesInUse: Int? { known(lattice_bytes_in_use()) }

    private static func known(_ figure: Int64) -> Int? { figure < 0 ? nil : Int(figure) }
}
