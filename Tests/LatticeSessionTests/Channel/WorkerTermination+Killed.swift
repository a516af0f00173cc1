import LatticeSession
import LatticeWire

extension WorkerTermination {
    /// The termination of a first incarnation that was killed from outside.
    static let killed = WorkerTermination(
        incarnation: 1,
        cause: .signal(9),
        sentence: "killed by signal 9 (SIGKILL)",
        blame: .nobody
    )

    /// Returns the termination of an incarnation that crashed.
    static func crashed(_ incarnation: UInt64) -> WorkerTermination {
        WorkerTermination(
            incarnation: incarnation,
            cause: .signal(6),
            sentence: "killed by signal 6 (SIGABRT)",
            blame: .anything
        )
    }
}
