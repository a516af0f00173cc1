import LatticeConcurrency

/// Sends actions from inside an effect that was asked for with ``Emission/run(_:)``.
public struct Send<Action: Sendable>: Sendable {
    private let deliver: @Sendable (Action) async -> Void

    init(_ deliver: @escaping @Sendable (Action) async -> Void) {
        self.deliver = deliver
    }

    /// Hands `action` to the runtime and returns when its turn is done: the state has settled, and the effects that
    /// the action asked for have been started, not ended. Does nothing when the effect has been cancelled.
    public func callAsFunction(_ action: Action) async {
        await deliver(action)
    }

    /// For an effect that nobody runs: what it sends goes nowhere.
    static var ignoring: Self { Self { _ in } }

    /// Sends until `oneShot` is complete; what work sends that goes on after that is dropped.
    func until<Value>(_ oneShot: OneShot<Value>) -> Self {
        Self { action in
            if !oneShot.isComplete { await self(action) }
        }
    }
}
