import LatticeCore
import Testing

/// Tests every way to cancel an event. The running effect is cancelled and ends, and no other effect of the tree
/// starts.
@MainActor
@Suite(.timeLimit(.minutes(10)))
struct CancellationWaysTests {
    enum Way: CaseIterable {
        /// The effects have not started yet.
        case beforeTheStart
        case whileItRuns
        /// The first step has ended, and the next is about to start.
        case atTheBoundary
        case twice
        /// The task that waits for the event is cancelled.
        case byWhoWaits
        case byID
        /// The runtime goes, as it does with its view model.
        case byItsEnd
    }

    private enum Action {
        case begin
        case stepEnded
        case cancelByID
    }

    private let started = Gate()
    private let ended = Gate()
    /// Effects that must not start.
    private let later = Shared(0)

    private func makeSteps(_ way: Way) -> FeatureRuntime<Int, Action> {
        let (started, ended, later) = (started, ended, later)
        return makeRuntime(0, effectStart: way == .beforeTheStart ? .held : .afterTurn) { state, action in
            switch action {
            case .begin:
                let first: Emission<Action> =
                    if way == .atTheBoundary {
                        .perform { .stepEnded }
                    } else {
                        .run { _ in
                            defer { ended.open() }
                            try await waitForCancellation(started: started)
                        }
                    }
                return .append(
                    first.cancellable(id: "step"),
                    .perform {
                        later.increment()
                        return .stepEnded
                    }
                )
            case .stepEnded:
                state += 1
                return .none
            case .cancelByID:
                return .cancel(id: "step")
            }
        }
    }

    @Test("However an event is cancelled, running effects end and no others start", arguments: Way.allCases)
    func everyWay(_ way: Way) async {
        var runtime: FeatureRuntime<Int, Action>? = makeSteps(way)
        let boundary = Shared<EventTask?>(nil)
        if way == .atTheBoundary { runtime?.onTurn = { _ in boundary.value?.cancel() } }
        guard let task = runtime?.send(.begin) else { return }
        boundary.update { $0 = task }
        switch way {
        case .beforeTheStart:
            task.cancel()
            runtime?.startHeldEffects()
        case .atTheBoundary: break
        case .whileItRuns, .twice:
            await started.wait()
            task.cancel()
            if way == .twice { task.cancel() }
        case .byWhoWaits:
            let waiter = Task { await task.finish() }
            await started.wait()
            waiter.cancel()
            #expect(await waiter.value == .cancelled)
        case .byID:
            await started.wait()
            runtime?.send(.cancelByID)
        case .byItsEnd:
            await started.wait()
            runtime = nil
        }
        // The grace period is longer than the test's time limit, so an effect that is not cancelled fails the test.
        #expect(await task.finish(cancellationGrace: .seconds(3_600)) == .cancelled)
        #expect(task.isCancelled)
        if way != .beforeTheStart, way != .atTheBoundary { #expect(ended.isOpen) }
        // Those that are sent now start after those that must not.
        let other = makeRuntime(0) { (_: inout Int, _: Int) in .perform { nil } }
        #expect(await other.send(1).finish() == .finished)
        #expect(later.value == 0)
        #expect(runtime?.runningEvents ?? 0 == 0)
    }
}
