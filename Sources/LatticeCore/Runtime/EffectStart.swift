/// When the effects that a turn asked for start.
package enum EffectStart: Sendable {
    /// At the end of the turn.
    case afterTurn
    /// When the host calls `startHeldEffects()`: after it has handed the state to somebody else, so that no effect
    /// runs before the state that asked for it is known there.
    case held
}
