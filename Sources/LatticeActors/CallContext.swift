import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// What a call takes along from the task that makes it to the one that runs it: the deadline, the event on whose behalf
/// it is made, and the trace.
struct CallContext {
    private var deadline: ContinuousClock.Instant?
    private var event: EventID?
    private var trace: [String]

    /// That of the running task.
    static var current: CallContext {
        CallContext(deadline: TaskDeadline.current, event: EventID.current, trace: TraceContext.currentLines)
    }

    private init(deadline: ContinuousClock.Instant?, event: EventID?, trace: [String]) {
        self.deadline = deadline
        self.event = event
        self.trace = trace
    }

    /// What came with a call; nil: nothing, as with most.
    init?(_ call: ActorCall, _ deadline: EventDeadline) {
        guard let context = call.context else { return nil }
        self.init(
            deadline: deadline.moment,
            event: context.event.flatMap { EventID($0) },
            trace: context.trace ?? []
        )
    }

    func around(_ body: () async -> Void) async {
        await TaskDeadline.$current.withValue(deadline) {
            await EventID.$current.withValue(event) {
                await TraceContext.$currentLines.withValue(trace, operation: body)
            }
        }
    }

    fileprivate func add(to call: inout OutgoingCall) {
        if let deadline { call.deadline = EventDeadline(deadline) }
        call.trace = trace
        call.event = event.map { CrashReportMessage.Event($0) }
    }
}

extension OutgoingCall {
    mutating func use(_ context: CallContext) { context.add(to: &self) }
}
