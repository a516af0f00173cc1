/// The part of a view model that reaches the interactor, in this process or in another one.
@MainActor
package protocol ViewModelEngine<Action, ViewState>: AnyObject, Sendable {
    associatedtype Action: Sendable
    associatedtype ViewState: Sendable

    /// The place where the interactor runs, and its status there.
    var host: HostStatus { get }

    /// Starts to send updates to `presenter`, which is stored weakly. The view model calls it once, before it sends the
    /// first event.
    func start(presenter: any ViewModelPresenter<ViewState>)

    /// Sends an event. An engine in this process has handled the event when this method returns.
    func send(_ action: Action) -> EventTask

    /// Sends an event with a deadline that has not passed. If the event is not applied by the deadline, it is never
    /// applied. If it was applied, its effects are cancelled at the deadline.
    func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask

    /// Asks the feature a question. The deadline has not passed.
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer

    /// Cancels all effects of this view model, which is being deallocated. It can be called on any thread.
    nonisolated func close()
}

/// The receiver of an engine's updates: the view model.
@MainActor
package protocol ViewModelPresenter<ViewState>: AnyObject {
    associatedtype ViewState: Sendable

    /// Changes the view state. Observers are notified once, and only if the state differs afterwards.
    /// - Parameter keepsIdentity: Whether the result of `change` counts as the state that is already shown, however it
    ///   was created. A decoded value, for example, is a new value of the same state.
    func update(keepsIdentity: Bool, _ change: (inout ViewState) -> Void)
    /// Changes the status of the host.
    func update(host: HostStatus)
}

extension ViewModelPresenter {
    /// Changes the view state, where a new value counts as another state.
    package func update(_ change: (inout ViewState) -> Void) {
        update(keepsIdentity: false, change)
    }
}
