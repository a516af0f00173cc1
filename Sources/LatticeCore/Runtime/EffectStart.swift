/// The time at which the effects of a turn start.
package enum EffectStart: Sendable {
    /// Effects start at the end of the turn.
    case afterTurn
    /// Effects start when the host calls `startHeldEffects()`. The host first hands the state to another process, so
    /// that no effect runs before that process knows the state that requested it.
    case held
}
