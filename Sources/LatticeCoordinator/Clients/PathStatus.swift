import LatticeConcurrency
import LatticeTransport
import Logging

/// The status of the coordinator's socket path: whether new clients find this coordinator there. The program can read
/// it, and changes are logged.
final class PathStatus: Sendable {
    private let path: String
    private let logger: Logger
    private let problem = Locked<CoordinatorError?>(nil)

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// The reason why new clients do not find this coordinator, or nil if they do.
    var error: CoordinatorError? { problem.withLock { $0 } }

    func update(_ event: PathEvent) {
        let error: CoordinatorError? = if case .lost(let cause) = event { .lostPath(path, cause) } else { nil }
        problem.withLock { $0 = error }
        switch event {
        case .restored(let parts):
            logger.warning("\(Self.repair(of: parts, path)) created again. No client was disconnected.")
        case .lost: logger.error("\(error?.message ?? "")")
        case .regained: logger.warning("New clients at \(path) reach this coordinator again.")
        }
    }

    private static func repair(of parts: SocketParts, _ path: String) -> String {
        switch parts {
        case .socket: "The socket \(path) was deleted or replaced, and was"
        case .lock: "The lock \(path).lock was deleted or replaced, and was"
        default: "The socket \(path) and its lock were deleted or replaced, and were"
        }
    }
}
