import ArgumentParser
import Glibc

/// A way in which a process harms itself and the machine. It is the same in a worker and in any other process.
enum Misbehaviour: String, Codable, CaseIterable, Sendable, ExpressibleByArgument {
    /// The process is ended by a signal that cannot be handled. Writing a backtrace would otherwise be most of the
    /// load.
    case crash
    /// The process computes without end.
    case spin
    /// The process allocates 1 MiB each millisecond and keeps it.
    case hoard

    /// A predicate for a sentence about the process.
    var inWords: String {
        switch self {
        case .crash: "crashes repeatedly"
        case .spin: "computes without end"
        case .hoard: "allocates memory repeatedly"
        }
    }

    /// The minimum interval between two starts of a process that ends.
    static let pace: Duration = .milliseconds(50)
    /// The size in bytes at which a hoarding worker is ended.
    static let memoryLimit = 192 << 20
    /// The size in MiB at which a hoarding process ends if no coordinator watches it. This is the size of a worker when
    /// it is ended, because workers are checked every 100 milliseconds.
    private static let megabytes = (memoryLimit >> 20) + 50

    /// Misbehaves, and does not return.
    func begin() -> Never {
        switch self {
        case .crash: break
        case .spin: Self.compute()
        case .hoard: Self.takeMemory()
        }
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    private static func compute() -> Never {
        var number: UInt64 = 0
        while true { number = number &* 6_364_136_223_846_793_005 &+ 1 }
    }

    private static func takeMemory() {
        for _ in 0..<megabytes {
            // The memory is never freed, and each page is written.
            let piece = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 4096)
            for place in stride(from: 0, to: 1 << 20, by: 4096) {
                piece.storeBytes(of: 1, toByteOffset: place, as: Int.self)
            }
            usleep(1000)
        }
        // A worker has been ended by now, unless the machine is too slow.
    }
}
