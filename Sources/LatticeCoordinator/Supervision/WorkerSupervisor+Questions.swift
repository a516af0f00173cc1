import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeWire

extension WorkerSupervisor {
    /// Sends a question to the feature behind a channel of the worker. If this worker dies, the next one is asked.
    ///
    /// - Parameters:
    ///   - question: The question, as the feature encodes it.
    ///   - channel: The number of the channel.
    ///   - context: The deadline and other properties of the call.
    func ask(_ question: [UInt8], on channel: UInt32, _ context: CallContext) async -> CallOutcome {
        await node.ask(question, on: channel, context) { () throws(CallFailure) in
            let (phase, session) = core.withLock { ($0.state.phase, $0.current.session) }
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
        CallFailure(.refused, reason)
    }
}
