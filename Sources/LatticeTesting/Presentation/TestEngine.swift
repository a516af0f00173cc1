import LatticeCore

/// An action that a feature has handled.
struct HandledAction<Action: Sendable, DomainState: Sendable>: Sendable {
    let action: Action
    /// The state after it.
    let domainState: DomainState
    /// The number of the event in whose tree it was handled.
    let event: Int
    /// Whether it is the event itself, and not an action that followed from it.
    let isSent: Bool
}

extension HandledAction: Codable where Action: Codable, DomainState: Codable {}

/// Where the feature of a test view model runs.
@MainActor
protocol TestEngine<Action, DomainState>: AnyObject, Sendable {
    associatedtype Action: Sendable
    associatedtype DomainState: Sendable

    /// Called with what was handled, in order: at the end of each turn, or for several turns at once where they come
    /// from elsewhere. Never after the event that they belong to has ended.
    var onHandled: (([HandledAction<Action, DomainState>]) -> Void)? { get set }

    /// Sends an event, with a number that no other event has; 0 for the one that the test has not sent, and receives.
    func send(_ action: Action, as event: Int) -> EventTask

    /// Asks the feature. The deadline has not passed.
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer

    /// Waits until what has started can be relied on: performs have begun, streams are observed. No longer than
    /// `timeout`.
    func untilEffectsWork(timeout: Duration) async

    /// What is wrong with how states come here, said once; nil: nothing.
    func takeProblem() -> String?

    /// Whether clients would be sent what has changed in view states.
    var hasClients: Bool { get }

    /// Cancels everything, for good. From any thread.
    nonisolated func close()
}

extension TestEngine {
    func takeProblem() -> String? { nil }
    var hasClients: Bool { false }
}
