public import Observation

/// Owns what a feature shows: sends events to wherever the interactor lives, and keeps the view state that comes back.
///
/// Observers of ``viewState`` hear of it once per turn, and only when it has changed. When the view model goes, the
/// effects of its events are cancelled.
@dynamicMemberLookup
@MainActor
public final class ViewModel<F: FeatureTypes>: Observable {
    public typealias Action = F.Action
    public typealias DomainState = F.DomainState
    public typealias ViewState = F.ViewState

    private nonisolated let engine: any ViewModelEngine<Action, ViewState>
    private let areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool
    private nonisolated let registrar = ObservationRegistrar()
    // Kept: a key path of a generic type is put together anew, in microseconds, wherever it is written.
    private let viewStatePath: KeyPath<ViewModel, ViewState> = \.viewState
    private let hostPath: KeyPath<ViewModel, HostStatus> = \.host
    private var storedViewState: ViewState
    private var storedHost: HostStatus

    /// A view model over any engine.
    /// - Parameters:
    ///   - viewState: what is shown until the engine tells more.
    ///   - areViewStatesEqual: whether observers need not hear of a change.
    package init(
        viewState: ViewState,
        engine: any ViewModelEngine<Action, ViewState>,
        areViewStatesEqual: @escaping @Sendable (ViewState, ViewState) -> Bool
    ) {
        self.engine = engine
        self.areViewStatesEqual = areViewStatesEqual
        storedViewState = viewState
        storedHost = engine.host
        engine.start(presenter: self)
    }

    deinit {
        engine.close()
    }

    /// What is to be shown.
    public var viewState: ViewState {
        registrar.access(self, keyPath: viewStatePath)
        return storedViewState
    }

    /// Where the interactor lives, and how it is doing there.
    public var host: HostStatus {
        registrar.access(self, keyPath: hostPath)
        return storedHost
    }

    public subscript<Value>(dynamicMember keyPath: KeyPath<ViewState, Value>) -> Value {
        viewState[keyPath: keyPath]
    }

    /// Sends an event. In this process, ``viewState`` is up to date when this returns; a call from inside a turn, for
    /// instance from an observer, is handled behind that turn.
    @discardableResult
    public func sendViewEvent(_ event: Action) -> EventTask {
        engine.send(event)
    }
}

extension ViewModel: ViewModelPresenter {
    package func update(_ change: (inout ViewState) -> Void) {
        var next = storedViewState
        change(&next)
        guard !areViewStatesEqual(storedViewState, next) else { return }
        registrar.withMutation(of: self, keyPath: viewStatePath) { storedViewState = next }
    }

    package func update(host: HostStatus) {
        guard host != storedHost else { return }
        registrar.withMutation(of: self, keyPath: hostPath) { storedHost = host }
    }
}
