import LatticeWire

@testable import LatticeSession

extension WorkerTermination {
    /// Somebody killed the first life.
    static let killed = WorkerTermination(
        incarnation: 1,
        cause: .signal(9),
        sentence: "killed by signal 9 (SIGKILL)",
        blame: .nobody
    )

    /// A life ended by its own doing.
    static func crashed(_ incarnation: UInt64) -> WorkerTermination {
        WorkerTermination(
            incarnation: incarnation,
            cause: .signal(6),
            sentence: "killed by signal 6 (SIGABRT)",
            blame: .anything
        )
    }
}
