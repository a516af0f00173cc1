import ArgumentParser
import Glibc

/// What a process does to itself and to the machine, the same in a worker and in a process that is none.
enum Misbehaviour: String, Codable, CaseIterable, Sendable, ExpressibleByArgument {
    /// Ends by a signal that nothing can handle: to write a backtrace would be most of the load.
    case crash
    /// Computes for ever.
    case spin
    /// Takes one MiB after the other, each millisecond, and keeps them.
    case hoard

    /// For a sentence whose subject is the process.
    var inWords: String {
        switch self {
        case .crash: "crashes again and again"
        case .spin: "computes for ever"
        case .hoard: "takes memory again and again"
        }
    }

    /// How often what ends by it is started again, at most.
    static let pace: Duration = .milliseconds(50)
    /// Bytes with which a hoarding worker is ended.
    static let memoryLimit = 192 << 20
    /// MiB with which a hoarding process ends that no coordinator watches: what a worker has when it is ended, which is
    /// looked at each 100 milliseconds.
    private static let megabytes = (memoryLimit >> 20) + 50

    /// Does it, and does not return.
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
            // Never freed, and written to on every page.
            let piece = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 4096)
            for place in stride(from: 0, to: 1 << 20, by: 4096) {
                piece.storeBytes(of: 1, toByteOffset: place, as: Int.self)
            }
            usleep(1000)
        }
        // A worker has been ended by now, unless the machine is late with that.
    }
}
