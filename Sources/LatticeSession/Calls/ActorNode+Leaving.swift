import LatticeConcurrency
import LatticeWire

/// The orderly end of another process: no call is lost that it has not begun.
extension ActorNode {
    /// The other side is about to end: from now on nobody finds its names, and no call goes to its actors. What was
    /// sent before is answered as usual.
    package func retire(_ session: Session) {
        let waits = core.withLock { core -> [NameWait] in
            guard let link = core.link(over: session) else { return [] }
            core.table.leave(link.id)
            return core.names.remove(link.id)
        }
        for wait in waits { wait.woken() }
    }

    /// Returns when the other side, which was retired, has answered all that it answers. It takes no calls by now, and
    /// refuses those that were sent before and have come since. So it is asked one thing more, whose answer comes
    /// behind theirs.
    package func untilAnswered(_ session: Session, atMost limit: Duration) async {
        let last = PendingCall()
        let isAsked = core.withLock { core in
            guard let link = core.link(over: session), core.table.count(on: link.id).sent > 0,
                let peer = core.table.peer(of: link.id),
                let (_, number) = try? core.table.send(last, to: peer, .unlimited)
            else { return false }
            let question = ActorOfNode(actor: 0)
            last.place = (link.id, number)
            return link.append(
                ActorCall(call: number, actor: 0, method: NodeMethod.methods.rawValue, arguments: question.bytes)
            )
        }
        guard isAsked else { return }
        session.flushSoon()
        let timer = TimerThread.shared.after(limit) { last.complete(ActorReply(call: 0, code: .cancelled)) }
        _ = await last.answer()
        TimerThread.shared.cancel(timer)
    }
}
