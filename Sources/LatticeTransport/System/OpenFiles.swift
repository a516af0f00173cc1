import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How many files this process may have open, and how many it has.
package enum OpenFiles {
    /// Raises the limit to `wanted`, or to as many as this process may ask for; never lowers it.
    ///
    /// - Returns: The limit from now on; nil if the system does not say.
    package static func raiseLimit(to wanted: Int) -> Int? {
        var (soft, hard): (UInt32, UInt32) = (0, 0)
        guard lattice_open_files(&soft, &hard) == 0 else { return nil }
        let raised = min(UInt32(clamping: wanted), hard)
        guard raised > soft, lattice_set_open_files(raised) == 0 else { return Int(soft) }
        return Int(raised)
    }

    /// How many are open among those with numbers below `limit`.
    package static func count(below limit: Int) -> Int {
        (0..<Int32(clamping: limit)).count { fcntl($0, F_GETFD) != -1 }
    }
}
