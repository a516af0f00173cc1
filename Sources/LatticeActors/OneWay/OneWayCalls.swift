import LatticeConcurrency
import LatticeSession
import LatticeWire

/// The calls of this process for whose answers nobody waits.
final class OneWayCalls: Sendable {
    /// Calls of one process to one actor that have not been answered.
    static let maximum = 1_024
    /// Tasks that wait for fewer.
    static let maximumWaiting = 65_536

    private typealias Room = OneWayRoom<OneShot<Void>>

    private let room = Locked(Room(maximum: maximum, maximumWaiting: maximumWaiting))
    private let failures = Locked(0)

    /// Those that were sent and have not returned.
    var failed: Int { failures.withLock(\.self) }

    /// Sends a call when there is room for it.
    ///
    /// - Parameter name: The call, for people.
    /// - Throws: What says that it was not sent.
    nonisolated(nonsending) func send(
        _ call: OutgoingCall,
        to id: LatticeActorID,
        named name: @autoclosure () -> String,
        at node: ActorNode
    ) async throws {
        try await take(id, name)
        let tracker = call.tracker
        tracker?.runsOn(isOverdue: false)
        let refusal = node.send(call) { reply in
            if reply.code != .returned { self.failures.withLock { $0 += 1 } }
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
        let turn = OneShot<Void>()
        switch room.withLock({ $0.take(id, turn) }) {
        case .go: return
        case .refuse:
            throw ActorCallError(
                .overloaded,
                "\(name()): \(Self.maximumWaiting) calls wait to be sent; wait for some to end",
                .notSent
            )
        case .wait(let place):
            if let left = TaskDeadline.current.map({ ContinuousClock.now.duration(to: $0) }) {
                await turn.wait(atMost: left)
            } else {
                await turn.wait()
            }
            guard Task.isCancelled || !turn.isComplete else { return }
            // It may have got its place at the last moment.
            if !room.withLock({ $0.stopWaiting(place) }) { end(id) }
            try Task.checkCancellation()
            throw ActorCallError(
                .deadlinePassed,
                "\(name()): \(Self.maximum) calls were under way until its deadline",
                .notSent
            )
        }
    }
}
