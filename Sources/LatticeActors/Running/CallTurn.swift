import Distributed
import LatticeConcurrency
import LatticeHosting
import LatticeSession

/// Calls of one actor that came one after the other, and whose methods do not await: one task runs them all, as a task
/// for each would take longer than most of them.
///
/// It is open from the first call until none waits or it has had its share of calls, and takes what comes meanwhile. As
/// the task stands in the actor's queue like any other, no call overtakes what came before the turn, and what waits for
/// the actor comes behind this share at the latest.
final class CallTurn: Sendable {
    struct Call {
        let run: ActorCallRun
        let method: StableMethod.Plain
        let arguments: [UInt8]
        let terms: CallContext
    }

    private let state: Locked<TurnState<Call>>

    init(_ first: Call) {
        state = Locked(TurnState(first))
    }

    /// - Returns: Whether it takes the call; false: that needs another turn.
    func add(_ call: Call) -> Bool { state.withLock { $0.add(call) } }

    /// Takes no more calls: what comes from now on begins behind something else.
    func close() {
        state.withLock { $0.close() }
    }

    /// Runs the calls, on the actor.
    func run<Act: DistributedActor>(on actor: Act) async {
        _ = await actor.whenLocal { actor in run(on: actor) }
    }

    private func run<Act: DistributedActor>(on actor: isolated Act) {
        while let call = state.withLock({ $0.next() }) {
            withUnsafeCurrentTask { task in
                if let task, call.run.begin(in: ActorCallRun.RunningTask(task)) { call.run(on: actor) }
            }
            // It was meant for that call alone: the others have a task that is not cancelled, which begins at once, as
            // it is on the actor already.
            guard !Task.isCancelled else {
                Task.immediate(priority: .medium) { run(on: actor) }
                return
            }
        }
    }
}

extension CallTurn.Call {
    fileprivate func run(on actor: any DistributedActor) {
        let result = CallResult(run: run)
        do {
            try terms.around {
                var arguments = CallDecoder(arguments, for: run.actors)
                try method(actor, &arguments, result)
            }
        } catch {
            result.end(throwing: error)
        }
    }
}
