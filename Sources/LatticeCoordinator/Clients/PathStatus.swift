import LatticeConcurrency
import LatticeTransport
import Logging

/// Whether new clients find this coordinator at its path: for the program to ask, and for the log.
final class PathStatus: Sendable {
    private let path: String
    private let logger: Logger
    private let problem = Locked<CoordinatorError?>(nil)

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    /// Why they do not; nil if they do.
    var error: CoordinatorError? { problem.withLock { $0 } }

    func hear(_ news: PathEvent) {
        let error: CoordinatorError? = if case .lost(let cause) = news { .lostPath(path, cause) } else { nil }
        problem.withLock { $0 = error }
        switch news {
        case .restored(let parts):
            logger.warning("\(Self.names(of: parts, path)), and made again; nobody was disconnected")
        case .lost: logger.error("\(error?.message ?? "")")
        case .regained: logger.warning("new clients at \(path) come to this coordinator again")
        }
    }

    private static func names(of parts: SocketParts, _ path: String) -> String {
        switch parts {
        case .socket: "the socket \(path) was deleted or replaced"
        case .lock: "the lock \(path).lock was deleted or replaced"
        default: "the socket \(path) and its lock were deleted or replaced"
        }
    }
}
