public import LatticeCore
import LatticeSession

extension CoordinatorConfiguration {
    /// Calls a closure with the acknowledged states of a feature, so that the program can save them without asking
    /// again and again.
    ///
    /// The closure gets the newest state of an instance: the first one, and each later one that is the newest when
    /// `interval` has passed since the call before. Calls for one instance come one after the other. If the closure
    /// throws, the error is logged, and it is called again after `interval`. When the coordinator stops, it is called
    /// once more with each state that it has not had, which may take up to 5 seconds in all. After an instance was
    /// closed no call for it begins; ``Coordinator/acknowledgedState(of:instance:)`` before that has its last state. A
    /// call that is already running may still write after the close: who deletes what was saved of an instance waits
    /// for that call first, or has the closure write nothing of a key that is marked as deleted.
    ///
    /// ```swift
    /// configuration.observeStates(of: Notes.self, atMostEvery: .seconds(1)) { instance, state in
    ///     try store.save(state, as: instance)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of those that are hosted; of others it has no effect.
    ///   - interval: The time between two calls for the same instance, from a millisecond. An event that finished less
    ///     than this before the coordinator is killed may not have been seen by the closure.
    ///   - observe: Called on Swift's threads, with the key of the instance and its state.
    public mutating func observeStates<Feature: HostedFeature>(
        of feature: Feature.Type,
        atMostEvery interval: Duration = .seconds(1),
        _ observe: @escaping @Sendable (_ instance: String, _ state: Feature.DomainState) async throws -> Void
    ) {
        stateHooks[feature.identifier] = StateHook<Feature.DomainState>(interval: interval, call: observe)
    }

    /// What is called with the states of a feature, if anything is.
    func stateHook<Feature: HostedFeature>(of feature: Feature.Type) -> StateHook<Feature.DomainState>? {
        stateHooks[feature.identifier] as? StateHook<Feature.DomainState>
    }
}

/// A ``StateHook`` whatever its state.
protocol StateHooking: Sendable {
    var interval: Duration { get }
}

/// What is called with the acknowledged states of a feature.
struct StateHook<State: Sendable>: StateHooking {
    let interval: Duration
    let call: @Sendable (_ instance: String, _ state: State) async throws -> Void
}
