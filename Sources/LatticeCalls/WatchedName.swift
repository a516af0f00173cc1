import LatticeConcurrency
package import LatticeWire

/// The actors that serve a name, as this process knows them at the moment.
///
/// The coordinator sends the list of these actors whenever it changes. After a reconnect the watch continues by itself.
/// Call ``end()`` when you no longer need it.
package final class WatchedName: Sendable {
    /// The state of a watch.
    package enum Status: Sendable, Equatable {
        /// This process has no connection to a coordinator at the moment.
        case unconnected
        /// The coordinator was asked and has not answered yet.
        case asked
        /// These actors serve the name. The actor whose turn it is comes first.
        case listed([ActorPlace])
        /// There is no such watch, for this reason. ``WatchedName/refresh()`` tries again.
        case refused(String)
        /// This process has given up its connection for this reason, and will have no list unless it gets another one.
        case lost(String)
        /// The node of this process has ended.
        case ended
    }

    private struct State {
        /// The number of the watch. A list with another number answers an earlier request, and is dropped.
        var number: UInt64 = 0
        var status = Status.unconnected
        /// Grows with each change of the status.
        var version: UInt64 = 1
        var change = OneShot<Void>()

        mutating func noteChange() {
            version += 1
            change = OneShot()
        }
    }

    /// The name.
    package let name: String
    private let node: ActorNode
    private let state = Locked(State())

    init(_ name: String, at node: ActorNode) {
        self.name = name
        self.node = node
    }

    /// The present status and its version. Pass the version to ``next(after:atMost:)`` to wait for a change.
    package var current: (status: Status, version: UInt64) { state.withLock { ($0.status, $0.version) } }

    /// Waits until the status has changed, the limit has passed, or the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - version: The version of the status that the caller knows.
    ///   - limit: The time to wait at most, or `nil` to wait without a limit.
    /// - Returns: The status then. Statuses in between are left out.
    package func next(
        after version: UInt64,
        atMost limit: Duration? = nil
    ) async -> (status: Status, version: UInt64) {
        let change = state.withLock { $0.version == version ? $0.change : nil }
        if let change {
            if let limit { await change.wait(atMost: limit) } else { await change.wait() }
        }
        return current
    }

    /// Asks the coordinator again, because the actors may have changed without this process having been told.
    package func refresh() { node.refresh(self) }

    /// Resumes the task that waits in ``next(after:atMost:)``, although the status has not changed.
    package func wake() {
        state.withLock { state in
            defer { state.noteChange() }
            return state.change
        }.complete()
    }

    /// Ends the watch.
    package func end() { node.end(self) }

    var number: UInt64 { state.withLock(\.number) }

    func assign(_ number: UInt64) {
        state.withLock { $0.number = number }
    }

    /// Sets the status.
    ///
    /// - Returns: The waiters for a change. Complete them when you hold no lock.
    func set(_ status: Status) -> OneShot<Void> {
        state.withLock { state in
            // Nothing follows the end of the node.
            guard state.status != .ended else { return state.change }
            state.status = status
            defer { state.noteChange() }
            return state.change
        }
    }
}
