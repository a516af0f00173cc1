import LatticeConcurrency
import LatticeCore

/// The engine of a test view model whose feature runs in this process on the main actor, as in a view model.
@MainActor
final class LocalTestEngine<Action: Sendable, DomainState: Sendable>: TestEngine {
    var onHandled: (([HandledAction<Action, DomainState>]) -> Void)?
    private nonisolated let runtime: FeatureRuntime<DomainState, Action>
    private let context: HostContext?
    /// One element for each effect that has started. It completes when the effect is at work.
    private var starts: [OneShot<Void>] = []
    private let changes = ChangeSignal()
    /// The actions that the current turn has handled.
    private var handled: [HandledAction<Action, DomainState>] = []
    /// The number of the event that was sent last. A turn without another origin belongs to it.
    private var lastEvent = 0
    private var running: [Int: EventTask] = [:]

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - domainState: The initial state.
    ///   - interactor: The interactor of the feature.
    ///   - context: The context that the feature gets, or nil if it is not a hosted feature.
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

    func send(_ action: Action, as event: Int, from sender: EventSource) -> EventTask {
        lastEvent = event
        let task = runtime.send(action, in: EventContext(sentBy: sender, number: UInt64(event)))
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
            preconditionFailure("A test view model can only ask its own feature, and only if that is a hosted feature.")
        }
        return try await Feature.answerHere(question, from: state, in: context, until: deadline)
    }

    func untilEffectsWork(timeout: Duration) async {
        _ = await changes.wait(timeout: timeout) {
            dropCompleteStarts()
            return starts.isEmpty
        }
        // Some effects are not at work by now, such as a stream that opens when the test lets it. They are not awaited
        // again.
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
            // The event is not in `running` if it is being sent at this moment and has no task yet.
            case .emitted(let completion?): running.first { $0.value.isEnded(by: completion) }?.key ?? lastEvent
            }
        let isSent = if case .sent = origin { event > 0 } else { false }
        handled.append(HandledAction(action: action, domainState: runtime.state, event: event, isSent: isSent))
    }

    private func endTurn() {
        let turn = handled
        handled = []
        if !turn.isEmpty { onHandled?(turn) }
    }
}
