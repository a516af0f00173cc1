import Glibc

/// Something to compute that takes the same time everywhere and touches no memory.
struct ComputingJob: Codable, Sendable {
    static let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private let rounds: Int
    /// What it comes to.
    private(set) var result: UInt64 = 0

    private init(rounds: Int) {
        self.rounds = rounds
        result = run()
    }

    /// One that takes about so long here.
    static func ofMilliseconds(_ milliseconds: Int) -> ComputingJob {
        var rounds = 1_000
        while true {
            let start = SuspendingClock.now
            // What nobody looks at is not computed.
            precondition(ComputingJob(rounds: rounds).result != 0)
            let time = start.duration(to: .now)
            // Long enough for its time to mean something.
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
