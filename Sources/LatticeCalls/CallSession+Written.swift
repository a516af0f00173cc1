import LatticeConcurrency
import LatticeSession

/// The end of the delivery of an answer.
package enum AnswerDelivery: Sendable {
    /// The answer is in the socket, so the caller can read it even if this process ends.
    case written
    /// The session has ended, so the answer may be lost.
    case lost
}

/// The answers of which this process has to know that they are in the socket.
extension CallSession {
    typealias DeliveryHandler = @Sendable (AnswerDelivery) -> Void

    /// Writes what was added, and calls a closure once with what has become of it: at once if there is room in the
    /// socket, or later on the event loop. You can call it on any thread.
    func write(onDelivery body: @escaping DeliveryHandler) {
        base.flush()
        let delivery = state.withLock { state -> AnswerDelivery? in
            if state.hasEnded { return .lost }
            if state.unwritten.isEmpty, hasWritten(state) { return .written }
            state.unwritten.add(body)
            return nil
        }
        if let delivery { body(delivery) }
    }

    private func hasWritten(_ state: State) -> Bool { state.outbox.isEmpty && base.hasWritten(on: 0) }

    /// Removes and returns the closures whose answers are in the socket.
    func takeWritten(_ state: inout State) -> [DeliveryHandler] {
        guard !state.unwritten.isEmpty, hasWritten(state) else { return [] }
        let written = state.unwritten.take()
        // The session has told about the data that was there when it was first asked.
        guard !state.unwritten.isEmpty, hasWritten(state) else { return written }
        return written + state.unwritten.take()
    }
}

/// The closures that are called when what was added before them is in the socket. It does no I/O.
///
/// The session tells about what was there when it was asked. So closures that are added while it is asked wait for the
/// next time.
struct WriteWaiters: Sendable {
    private var asked: [CallSession.DeliveryHandler] = []
    private var later: [CallSession.DeliveryHandler] = []

    /// Whether no closure waits.
    var isEmpty: Bool { asked.isEmpty }

    /// Adds a closure. If it is the only one, the session is asked next.
    mutating func add(_ body: @escaping CallSession.DeliveryHandler) {
        if asked.isEmpty { asked.append(body) } else { later.append(body) }
    }

    /// Removes and returns the closures about which the session was asked. The session is asked next about the others.
    mutating func take() -> [CallSession.DeliveryHandler] {
        defer { (asked, later) = (later, []) }
        return asked
    }

    /// Removes and returns all closures.
    mutating func takeAll() -> [CallSession.DeliveryHandler] { take() + take() }
}
