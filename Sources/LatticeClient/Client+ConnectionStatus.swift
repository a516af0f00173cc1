import LatticeConcurrency
import Observation

extension Client {
    /// The status of a client's connection to its coordinator.
    public enum ConnectionStatus: Sendable, Equatable, CustomStringConvertible {
        /// The client connects for the first time.
        case connecting
        /// The client is connected to the coordinator with this process ID.
        case connected(coordinator: Int32)
        /// The connection was lost, and the client tries to restore it.
        case reconnecting(Reconnecting)
        /// The client does not connect any more. The error says why it gave up. It is nil if the closure of
        /// `withClient` has ended.
        case closed(ClientError?)

        /// The status of a client that tries to restore its connection.
        public struct Reconnecting: Sendable, Equatable {
            /// When the connection was lost.
            public let since: ContinuousClock.Instant
            /// The number of attempts that have failed since then.
            public let failedAttempts: Int
            /// A sentence that says why the connection was lost, or why the last attempt failed.
            public let reason: String
        }

        /// A short text for display, such as "connected to the coordinator with process ID 812".
        public var description: String {
            switch self {
            case .connecting: "connecting"
            case .connected(let processID): "connected to the coordinator with process ID \(processID)"
            case .reconnecting(let attempt):
                "reconnecting, failed attempts: \(attempt.failedAttempts), reason: \(attempt.reason)"
            case .closed(let error): error.map { "closed: \($0)" } ?? "closed"
            }
        }
    }

    /// The status of the connection, for display. It can be observed, like the `hostStatus` of a view model.
    ///
    /// ```swift
    /// for await status in Observations({ client.connectionStatus }) { print(status) }
    /// ```
    ///
    /// A change is visible as soon as the main actor has time. If several changes come before that, only the last one
    /// is visible.
    @MainActor public var connectionStatus: ConnectionStatus { shownStatus.status }
}

/// A connection status that any thread sets and that observers read on the main actor.
@MainActor
final class ShownConnectionStatus: Observable {
    private struct Inbox {
        var status = Client.ConnectionStatus.connecting
        var isScheduled = false
    }

    private nonisolated let registrar = ObservationRegistrar()
    private nonisolated let inbox = Locked(Inbox())
    private var stored = Client.ConnectionStatus.connecting

    nonisolated init() {}

    /// The status that observers see.
    var status: Client.ConnectionStatus {
        registrar.access(self, keyPath: \.status)
        return stored
    }

    /// Sets the status and schedules it for the main actor. After `closed` the status does not change any more.
    nonisolated func set(_ status: Client.ConnectionStatus) {
        let needsHop = inbox.withLock { inbox in
            if case .closed = inbox.status { return false }
            inbox.status = status
            defer { inbox.isScheduled = true }
            return !inbox.isScheduled
        }
        // A task without a parent. It exists for one hop to the main actor, and is not awaited.
        if needsHop { Task { @MainActor in show() } }
    }

    private func show() {
        let status = inbox.withLock { inbox in
            inbox.isScheduled = false
            return inbox.status
        }
        guard status != stored else { return }
        registrar.withMutation(of: self, keyPath: \.status) { stored = status }
    }
}
