import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeWire

/// Holds each call until a test ends it.
final class HoldingHost: CallHost {
    private final class Run: RunningCall {
        let number: UInt64
        let cancelled: Watched<[UInt64]>

        init(_ number: UInt64, _ cancelled: Watched<[UInt64]>) {
            self.number = number
            self.cancelled = cancelled
        }

        func cancel() {
            cancelled.change { $0.append(number) }
        }
    }

    let held = Watched<[IncomingCall]>([])
    /// The numbers of the calls.
    let numbers = Watched<[UInt64]>([])
    /// The calls that were asked to end.
    let cancelled = Watched<[UInt64]>([])

    func begin(_ call: ActorCall, _ context: CallContext, _ answer: IncomingCall) -> (any RunningCall)? {
        numbers.change { $0.append(call.call) }
        held.change { $0.append(answer) }
        return Run(call.call, cancelled)
    }

    var actorCount: Int { 1 }
    func hasActor(_ number: UInt64) -> Bool { true }
    func methods(of number: UInt64) -> StableMethodList? { StableMethodList(methods: []) }
    func nodeEnded() {}
}
