import Glibc

/// A computation that takes the same time in every process and uses no memory.
struct ComputingJob: Codable, Sendable {
    static let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private let rounds: Int
    /// The result of the computation.
    private(set) var result: UInt64 = 0

    private init(rounds: Int) {
        self.rounds = rounds
        result = run()
    }

    /// Creates a job that takes about the given time on this machine.
    static func ofMilliseconds(_ milliseconds: Int) -> ComputingJob {
        var rounds = 1_000
        while true {
            let start = SuspendingClock.now
            // The result has to be used, or else the compiler would remove the computation.
            precondition(ComputingJob(rounds: rounds).result != 0)
            let time = start.duration(to: .now)
            // A shorter time would be too inexact.
            guard time < .milliseconds(1) else {
                return ComputingJob(rounds: Int(Double(rounds) * (.milliseconds(milliseconds) / time)))
            }
            rounds *= 2
        }
    }

    func run() -> UInt64 {
        var value: UInt64 = 0x9E37_79B9_7F4A_7C15
        for round in 0..<rounds {
            value ^= value << 13
            value ^= value >> 7
            value ^= value << 17
            value &+= UInt64(truncatingIfNeeded: round)
        }
        return value
    }
}
