import LatticeConcurrency
package import LatticeSession
import LatticeWire

/// The orderly end of another process. Each call that the process has not begun gets an answer that says so.
extension ActorNode {
    /// Stops using a process that is about to end. Its names are no longer found, and its actors receive no more calls.
    /// Calls that were sent before are answered as usual.
    package func retire(_ session: Session) {
        update { core in
            guard let callSession = core.callSession(over: session) else { return }
            core.table.drain(callSession.id)
            mark(core.names.remove(callSession.id), &core)
        }
    }

    /// Waits until a process that was passed to ``retire(_:)`` has answered all its calls, but at most for the given
    /// time.
    ///
    /// The process accepts no more calls by now, and refuses those that were sent before and arrived later. This method
    /// sends it a probe, whose answer comes after all other answers.
    package func untilAnswered(_ session: Session, atMost limit: Duration) async {
        let last = PendingCall()
        let isAsked = core.withLock { core in
            guard let callSession = core.callSession(over: session), core.table.count(on: callSession.id).sent > 0,
                let peer = core.table.peer(of: callSession.id),
                let (_, number) = try? core.table.send(last, to: peer, .unlimited)
            else { return false }
            last.place = (callSession.id, number)
            return callSession.append(ActorCall(call: number, actor: 0, method: .operation(.probe)))
        }
        guard isAsked else { return }
        session.flushSoon()
        let timer = TimerThread.shared.after(limit) { last.complete(.failure(.cancelled)) }
        _ = await last.answer()
        TimerThread.shared.cancel(timer)
    }
}
