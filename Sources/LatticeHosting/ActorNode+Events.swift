package import LatticeCalls
package import LatticeCore
import LatticeSession
import LatticeWire

extension ActorNode {
    /// Passes the calls that run here, and what the node notices, to the observers of the runtime.
    package func connect(to events: RuntimeEvents) {
        onNote { events.emit(.callsHeld, .callsHeld(reason: $0)) }
        if let tracer = events.tracer {
            onTrace { side, lines in
                switch side {
                case .calling(let method): tracer.begin(.call(method: method), in: lines)
                case .answering(let caller): tracer.begin(.answer(caller: caller), in: lines)
                }
            }
        }
        guard events.wants(.callStarted) || events.wants(.callEnded) else { return }
        onCall { report in
            let call = RuntimeEvent.Call(
                actor: report.actor,
                method: report.method,
                caller: report.caller,
                isResolved: report.isResolved
            )
            guard let end = report.end else { return events.emit(.callStarted, .callStarted(call)) }
            events.emit(.callEnded, .callEnded(call, outcome: end.word, after: report.duration))
        }
    }
}
