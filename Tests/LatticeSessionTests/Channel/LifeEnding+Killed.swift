import LatticeWire

@testable import LatticeSession

extension LifeEnding {
    /// Somebody killed the first life.
    static let killed = LifeEnding(
        incarnation: 1,
        cause: .signal(9),
        sentence: "killed by signal 9 (SIGKILL)",
        blame: .nobody
    )

    /// A life ended by its own doing.
    static func crashed(_ incarnation: UInt64) -> LifeEnding {
        LifeEnding(
            incarnation: incarnation,
            cause: .signal(6),
            sentence: "killed by signal 6 (SIGABRT)",
            blame: .anything
        )
    }
}
