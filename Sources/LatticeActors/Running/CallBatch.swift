import Distributed
import LatticeConcurrency
import LatticeHosting
import LatticeSession

/// A batch of consecutive calls of synchronous methods of one actor, which run in one task. A task for each call would
/// take longer than most of these methods.
///
/// A batch accepts calls from its first one until no call waits or its share of calls is used up. Its task waits in the
/// actor's queue like any other. Therefore no call overtakes work that was queued before the batch, and work that is
/// queued later runs after this batch at most.
final class CallBatch: Sendable {
    struct Call {
        let run: ActorCallRun
        let method: StableMethod.Plain
        let arguments: [UInt8]
        let context: CallContext
    }

    private let state: Locked<CallBatchState<Call>>

    init(_ first: Call) {
        state = Locked(CallBatchState(first))
    }

    /// Adds a call.
    ///
    /// - Returns: Whether the batch accepts the call. If it does not, the call needs another batch.
    func add(_ call: Call) -> Bool { state.withLock { $0.add(call) } }

    /// Stops accepting calls. Later calls begin after other work of the actor.
    func close() {
        state.withLock { $0.close() }
    }

    /// Runs the calls on the actor.
    func run<Act: DistributedActor>(on actor: Act) async {
        _ = await actor.whenLocal { actor in run(on: actor) }
    }

    private func run<Act: DistributedActor>(on actor: isolated Act) {
        while let call = state.withLock({ $0.next() }) {
            withUnsafeCurrentTask { task in
                if let task, call.run.begin(in: ActorCallRun.RunningTask(task)) { call.run(on: actor) }
            }
            // The cancellation was meant for that call only. The other calls continue in a new task, which is not
            // cancelled.
            // It begins immediately because it is already on the actor.
            guard !Task.isCancelled else {
                Task.immediate(priority: .medium) { run(on: actor) }
                return
            }
        }
    }
}

extension CallBatch.Call {
    fileprivate func run(on actor: any DistributedActor) {
        let result = CallResult(run: run)
        do {
            try context.around {
                var arguments = CallDecoder(arguments, for: run.actors)
                try method(actor, &arguments, result)
            }
        } catch {
            result.end(throwing: error)
        }
    }
}
