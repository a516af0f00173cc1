import CLatticeThreads

/// The turn that a runtime runs on the calling thread, for code that asks what it belongs to.
///
/// A runtime has one, and publishes it through a pointer of the thread while the interactor runs. Nothing is allocated
/// or locked for a turn. A task-local value would allocate memory for each event.
final class CurrentTurn {
    // Not checked for overlapping accesses, because every turn accesses them.

    /// The context of the event that is being sent.
    @exclusivity(unchecked) var context = EventContext()
    /// The number of events that the runtime has numbered itself.
    @exclusivity(unchecked) var numbered: UInt64 = 0
    /// The scope of the action that is being handled, or nil if it belongs to the event that is being sent. The caller
    /// of ``FeatureRuntime/handle(_:in:)`` retains it.
    @exclusivity(unchecked) unowned(unsafe) var scope: EffectScope?
    /// The effect whose action the turn began with, or nil for a turn of an event. The caller retains it too.
    @exclusivity(unchecked) unowned(unsafe) var effect: Effect?

    /// The turn on the calling thread, or nil if no interactor runs on it.
    static var ofThread: CurrentTurn? {
        lattice_current_turn().map { Unmanaged<CurrentTurn>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The context of the action that is being handled.
    var contextOfAction: EventContext {
        guard let scope else { return context }
        var context = scope.tree.context
        // A step of another event may follow in the same turn.
        if let effect, effect.tree === scope.tree { context.cause = .effect(name: effect.label?.name) }
        return context
    }

    /// Makes this the turn of the calling thread.
    ///
    /// - Returns: The turn before, which ``leave(_:)`` restores. A turn can begin inside another one of a different
    ///   runtime.
    @inline(__always)
    func enter() -> UnsafeMutableRawPointer? {
        lattice_set_current_turn(Unmanaged.passUnretained(self).toOpaque())
    }

    /// Restores the turn before.
    @inline(__always)
    func leave(_ outer: UnsafeMutableRawPointer?) {
        _ = lattice_set_current_turn(outer)
    }
}
