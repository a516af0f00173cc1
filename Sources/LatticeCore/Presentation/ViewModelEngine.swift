/// What a view model talks to: the place where its interactor lives.
@MainActor
package protocol ViewModelEngine<Action, ViewState>: AnyObject, Sendable {
    associatedtype Action: Sendable
    associatedtype ViewState: Sendable

    var host: HostStatus { get }

    /// Begins to tell `presenter`, which is kept weakly. Called once, by the view model, before anything is sent.
    func start(presenter: any ViewModelPresenter<ViewState>)

    /// Sends an event. An engine in this process has handled it when this returns.
    func send(_ action: Action) -> EventTask

    /// The same with a deadline that has not passed: an event that is not applied by then never is, and what it has
    /// started is cancelled then.
    func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask

    /// Asks the feature that runs behind it. The deadline has not passed.
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer

    /// Cancels everything of this view model, which is going away. From any thread.
    nonisolated func close()
}

/// What an engine tells its view model.
@MainActor
package protocol ViewModelPresenter<ViewState>: AnyObject {
    associatedtype ViewState: Sendable

    /// Changes the view state; observers hear once, and only if it is another one afterwards.
    /// - Parameter keepsIdentity: whether what `change` leaves is the state that is shown, however it was made: one
    ///   that was decoded is another value, and yet the same state.
    func update(keepsIdentity: Bool, _ change: (inout ViewState) -> Void)
    func update(host: HostStatus)
}

extension ViewModelPresenter {
    package func update(_ change: (inout ViewState) -> Void) {
        update(keepsIdentity: false, change)
    }
}
