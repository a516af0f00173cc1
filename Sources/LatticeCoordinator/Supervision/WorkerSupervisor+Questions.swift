import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeWire

extension WorkerSupervisor {
    /// Asks the feature behind a channel of the worker, of the next one if this one dies.
    ///
    /// - Parameter question: As the feature encodes it.
    func ask(_ question: [UInt8], on channel: UInt32, _ terms: CallContext) async -> ActorReply {
        await node.ask(question, on: channel, terms) { () throws(CallFailure) in
            let (phase, session) = core.withLock { ($0.state.phase, $0.life.session) }
            switch phase {
            case .serving: return session.flatMap { node.peer(of: $0) }
            case .givenUp(let failure): throw .refused(failure.reason)
            case .stopped, .draining: throw .refused("the coordinator stops")
            case .idle, .booting, .leaving, .backingOff: return nil
            }
        }
    }
}

extension CallFailure {
    fileprivate static func refused(_ reason: String) -> CallFailure {
        CallFailure(ActorReply(call: 0, code: .refused, reason: reason))
    }
}
