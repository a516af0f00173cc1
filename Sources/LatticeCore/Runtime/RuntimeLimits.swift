/// What keeps a runtime from going on for ever.
package enum RuntimeLimits {
    /// Actions that one turn may handle. A turn that wants more is stopped, its event ends `failed`.
    package static let actionsPerTurn = 200_000
    /// Sends that may wait behind a turn, and turns that may follow one another without a pause. What is over the
    /// limit is `rejected(.overloaded)`.
    package static let sendsBehindTurn = 100_000
    /// Elements of an observed stream that may wait for their turn, and that one turn takes at most. The stream is
    /// asked for the next when there is room.
    package static let waitingElements = 64
    /// Effects with a name that run in a feature at a time: each is a thing of its own to start again, not one of a
    /// crowd.
    package static let namedEffects = 4_096
    /// Bytes of the name of an effect.
    package static let effectNameBytes = 255
    /// How often an effect may be handed over to be started again.
    package static let recoveries = 1_000
    /// How deep the parts of an emission are gone through by recursion: a few kilobytes of stack. Deeper ones are gone
    /// through step by step.
    static let recursionDepth = 32
    /// How long who waits for an event that was cancelled waits for effects that do not listen to their cancellation.
    package static let cancellationGrace: Duration = .milliseconds(100)
}
