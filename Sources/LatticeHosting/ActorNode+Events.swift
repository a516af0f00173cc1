package import LatticeCalls
package import LatticeCore
import LatticeSession
import LatticeWire

extension ActorNode {
    /// Passes the calls that run here, and what the node notices, to the observers of the runtime.
    package func connect(to events: RuntimeEvents) {
        onNote { events.emit(.callsHeld, .callsHeld(reason: $0)) }
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

extension ReplyCode {
    /// The code in a word or two, for observers of the runtime.
    fileprivate var word: String {
        switch self {
        case .returned: "returned"
        case .threw, .failed: "threw"
        case .cancelled: "cancelled"
        case .noActor: "no such actor"
        case .noMethod: "no such method"
        case .undecodable: "undecodable"
        case .overloaded: "overloaded"
        case .deadline: "deadline passed"
        case .tooLarge: "too large"
        case .lost: "lost"
        case .refused: "refused"
        case .unencodable: "unencodable"
        case .interrupted: "interrupted"
        default: "code \(rawValue)"
        }
    }
}
