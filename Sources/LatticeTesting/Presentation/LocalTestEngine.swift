import LatticeConcurrency
import LatticeCore

/// Runs the feature of a test view model in this process, on the main actor, as a view model does.
@MainActor
final class LocalTestEngine<Action: Sendable, DomainState: Sendable>: TestEngine {
    var onHandled: (([HandledAction<Action, DomainState>]) -> Void)?
    private nonisolated let runtime: FeatureRuntime<DomainState, Action>
    private let context: HostContext?
    /// Each is complete when an effect that has started is at work.
    private var starts: [OneShot<Void>] = []
    private let changes = ChangeSignal()
    /// What the running turn has handled.
    private var turn: [HandledAction<Action, DomainState>] = []
    /// The event that was sent last, which is the one that is being sent while a turn has no other origin.
    private var lastEvent = 0
    private var running: [Int: EventTask] = [:]

    /// - Parameter context: What the feature is told of its place; nil: none that could live elsewhere.
    init(
        _ domainState: DomainState,
        _ interactor: some Interactor<DomainState, Action> & Sendable,
        in context: HostContext? = nil
    ) {
        self.context = context
        runtime = FeatureRuntime(initialState: domainState, interactor: interactor, isolation: MainActor.shared)
        runtime.onAction = { [weak self] action, origin in
            MainActor.assumeIsolated { self?.note(action, origin) }
        }
        runtime.onTurn = { [weak self] _ in
            MainActor.assumeIsolated { self?.endTurn() }
        }
        runtime.onEffectStart = { [weak self, changes] in
            let start = OneShot<Void>()
            MainActor.assumeIsolated {
                self?.dropCompleteStarts()
                self?.starts.append(start)
            }
            return { if start.complete(()) { changes.send() } }
        }
    }

    func send(_ action: Action, as event: Int) -> EventTask {
        lastEvent = event
        let task = runtime.send(action)
        running = running.filter { $0.value.outcome == nil }
        if task.outcome == nil { running[event] = task }
        return task
    }

    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        guard let state = runtime.state as? Feature.DomainState, let context else {
            preconditionFailure("A test view model asks its own feature, which was made for a place.")
        }
        return try await Feature.answerHere(question, from: state, in: context, until: deadline)
    }

    func untilEffectsWork(timeout: Duration) async {
        _ = await changes.wait(timeout: timeout) {
            dropCompleteStarts()
            return starts.isEmpty
        }
        // What is not at work by now, such as a stream whose opening waits for the test, is not waited for again.
        starts = []
    }

    nonisolated func close() {
        runtime.close()
    }

    private func dropCompleteStarts() {
        while starts.last?.isComplete == true { starts.removeLast() }
    }

    private func note(_ action: Action, _ origin: ActionOrigin) {
        let event =
            switch origin {
            case .sent, .emitted(nil): lastEvent
            // Not among the running ones: the event is being sent, and has no task yet.
            case .emitted(let completion?): running.first { $0.value.isEnded(by: completion) }?.key ?? lastEvent
            }
        let isSent = if case .sent = origin { event > 0 } else { false }
        turn.append(HandledAction(action: action, domainState: runtime.state, event: event, isSent: isSent))
    }

    private func endTurn() {
        let handled = turn
        turn = []
        if !handled.isEmpty { onHandled?(handled) }
    }
}
