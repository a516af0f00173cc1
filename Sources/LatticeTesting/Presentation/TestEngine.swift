import LatticeCore

/// An action that a feature has handled, with the state after it.
struct HandledAction<Action: Sendable, DomainState: Sendable>: Sendable {
    let action: Action
    /// The state after the action.
    let domainState: DomainState
    /// The number of the event whose tree contains the action.
    let event: Int
    /// A Boolean value that indicates whether this is the event itself, and not an action that followed from it.
    let isSent: Bool
}

extension HandledAction: Codable where Action: Codable, DomainState: Codable {}

/// The place where the feature of a test view model runs.
@MainActor
protocol TestEngine<Action, DomainState>: AnyObject, Sendable {
    associatedtype Action: Sendable
    associatedtype DomainState: Sendable

    /// Receives the handled actions in order: at the end of each turn, or for several turns together if they come from
    /// a worker. It is never called after the event of the actions has ended.
    var onHandled: (([HandledAction<Action, DomainState>]) -> Void)? { get set }

    /// Sends an event with a unique number. The number 0 stands for an event that the test did not send but has to
    /// receive.
    ///
    /// - Parameter sender: The sender that the feature sees.
    func send(_ action: Action, as event: Int, from sender: EventSource) -> EventTask

    /// Asks the feature a question. The deadline has not passed yet.
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer

    /// Waits until the started effects are at work: performs have begun, and streams are observed. Waits for at most
    /// `timeout`.
    func untilEffectsWork(timeout: Duration) async

    /// Returns a problem with the transport of states once, or nil if there is none.
    func takeProblem() -> String?

    /// A Boolean value that indicates whether changes of view states would be sent to clients.
    var hasClients: Bool { get }

    /// Cancels everything permanently. It can be called from any thread.
    nonisolated func close()
}

extension TestEngine {
    func takeProblem() -> String? { nil }
    var hasClients: Bool { false }
}
