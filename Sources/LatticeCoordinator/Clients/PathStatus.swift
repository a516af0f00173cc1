import LatticeConcurrency
import LatticeCore
import LatticeTransport

/// The status of the coordinator's socket path: whether new clients find this coordinator there. The program can read
/// it, and changes are reported.
final class PathStatus: Sendable {
    private let path: String
    private let events: RuntimeEvents
    private let problem = Locked<CoordinatorError?>(nil)

    init(path: String, events: RuntimeEvents) {
        self.path = path
        self.events = events
    }

    /// The reason why new clients do not find this coordinator, or nil if they do.
    var error: CoordinatorError? { problem.withLock { $0 } }

    func update(_ event: PathEvent) {
        let error: CoordinatorError? = if case .lost(let cause) = event { .lostPath(path, cause) } else { nil }
        problem.withLock { $0 = error }
        let change: RuntimeEvent.SocketChange =
            switch event {
            case .restored(let parts): .restored(socket: parts.contains(.socket), lock: parts.contains(.lock))
            case .lost: .lost(reason: error?.message ?? "")
            case .regained: .regained
            }
        events.emit(.socketChanged, .socketChanged(path: path, change))
    }
}
