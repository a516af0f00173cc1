import LatticeCalls
import LatticeConcurrency
import LatticeWire

/// The one-way calls of this process.
final class OneWayCalls: Sendable {
    /// The maximum number of unanswered one-way calls from this process to one actor.
    static let maximum = 1_024
    /// The maximum number of tasks that wait until they may send a call.
    static let maximumWaiting = 65_536

    private typealias Room = OneWayRoom<OneShot<Void>>

    private let room = Locked(Room(maximum: maximum, maximumWaiting: maximumWaiting))
    private let failures = Locked(0)

    /// The number of calls that were sent and did not return successfully.
    var failed: Int { failures.withLock(\.self) }

    /// Sends a call as soon as there is room for it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - id: The actor.
    ///   - name: A description of the call for error messages.
    ///   - node: The node of this process.
    /// - Throws: An error if the call was not sent.
    nonisolated(nonsending) func send(
        _ call: OutgoingCall,
        to id: LatticeActorID,
        named name: @autoclosure () -> String,
        at node: ActorNode
    ) async throws {
        try await take(id, name)
        let tracker = call.tracker
        tracker?.runsOn(isOverdue: false)
        let refusal = node.send(call) { outcome in
            if outcome.code != .returned { self.failures.withLock { $0 += 1 } }
            self.end(id)
            tracker?.hasEnded(isOverdue: false)
        }
        guard let refusal else { return }
        end(id)
        tracker?.hasEnded(isOverdue: false)
        throw ActorCallError(refusal, name())
    }

    private func end(_ id: LatticeActorID) {
        room.withLock { $0.end(id) }?.complete()
    }

    nonisolated(nonsending) private func take(_ id: LatticeActorID, _ name: () -> String) async throws {
        try Task.checkCancellation()
        let waiter = OneShot<Void>()
        switch room.withLock({ $0.take(id, waiter) }) {
        case .go: return
        case .refuse:
            throw ActorCallError(
                .overloaded,
                "\(name()): \(Self.maximumWaiting) calls already wait to be sent; wait for some to end",
                .notSent
            )
        case .wait(let place):
            if let left = MonotonicDeadline.current.left {
                await waiter.wait(atMost: left)
            } else {
                await waiter.wait()
            }
            guard Task.isCancelled || !waiter.isComplete else { return }
            // The call may have got its place at the last moment.
            if !room.withLock({ $0.stopWaiting(place) }) { end(id) }
            try Task.checkCancellation()
            throw ActorCallError(
                .deadlinePassed,
                "\(name()): \(Self.maximum) calls were in progress until its deadline",
                .notSent
            )
        }
    }
}
