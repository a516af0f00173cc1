import LatticeConcurrency
import LatticeSession
package import LatticeWire

/// The side of a call that a span is about.
package enum TracedCall: Sendable {
    /// This process calls a method.
    case calling(method: String)
    /// A method runs in this process. The caller is the name of the process that made the call, or that passed it on.
    case answering(caller: String)
}

extension OutgoingCall {
    /// Begins the span of the call, if the node traces calls, and lets the call belong to it. A question to a feature
    /// has the span of all its attempts.
    mutating func beginSpan(at node: ActorNode) -> (any OpenSpan)? {
        guard node.tracesCalls, isOfActor else { return nil }
        guard let span = node.beginSpan(.calling(method: method), in: context.trace) else { return nil }
        context = context.within(span, isCurrent: false)
        return span
    }
}

extension SpanEnd {
    /// The end of a call.
    init(_ outcome: CallOutcome) {
        let word = outcome.code.word
        switch outcome {
        case .returned: self.init(word)
        case .failed(let failure) where failure.code == .cancelled: self.init(word)
        case .threw(let type, _): self.init(word, failure: Failure(type: word, message: type.isEmpty ? word : type))
        case .failed(let failure):
            self.init(word, failure: Failure(type: word, message: failure.reason ?? failure.type ?? word))
        }
    }
}

extension ReplyCode {
    /// The code in a word or two, for observers of the runtime and spans.
    package var word: String {
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
