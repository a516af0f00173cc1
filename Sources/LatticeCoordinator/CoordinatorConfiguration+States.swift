public import LatticeCore
import LatticeSession

extension CoordinatorConfiguration {
    /// Calls a closure with the acknowledged states of a feature, so that the program can save them without polling.
    ///
    /// The closure receives the newest state of an instance: the first state, and after each `interval` the newest one
    /// if it has changed. Calls for the same instance never overlap. If the closure throws, the error is logged and the
    /// closure is called again after `interval`. When the coordinator stops, the closure is called once more with each
    /// state that it has not received. This may take up to 5 seconds in all.
    ///
    /// No call for an instance begins after the instance was closed. To get its last state, read
    /// ``Coordinator/acknowledgedState(of:instance:)`` before closing it. A call that is running at that time may still
    /// write after the close. Before you delete the saved state of an instance, wait for that call, or let the closure
    /// skip keys that are marked as deleted.
    /// ```swift
    /// configuration.observeStates(of: Notes.self, atMostEvery: .seconds(1)) { instance, state in
    ///     try store.save(state, as: instance)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of the hosted features. The call has no effect for other features.
    ///   - interval: The minimum time between two calls for the same instance, at least one millisecond. If the
    ///     coordinator is killed, the closure may have missed events that finished within this time before.
    ///   - observe: A closure that is called on Swift's thread pool with the key of the instance and its state.
    public mutating func observeStates<Feature: HostedFeature>(
        of feature: Feature.Type,
        atMostEvery interval: Duration = .seconds(1),
        _ observe: @escaping @Sendable (_ instance: String, _ state: Feature.DomainState) async throws -> Void
    ) {
        stateHooks[feature.identifier] = StateHook<Feature.DomainState>(interval: interval, call: observe)
    }

    /// Returns the closure that receives the states of a feature, or nil if there is none.
    func stateHook<Feature: HostedFeature>(of feature: Feature.Type) -> StateHook<Feature.DomainState>? {
        stateHooks[feature.identifier] as? StateHook<Feature.DomainState>
    }
}

/// A ``StateHook`` for states of any type.
protocol StateHooking: Sendable {
    var interval: Duration { get }
}

/// A closure of the program that receives the acknowledged states of a feature.
struct StateHook<State: Sendable>: StateHooking {
    let interval: Duration
    let call: @Sendable (_ instance: String, _ state: State) async throws -> Void
}
