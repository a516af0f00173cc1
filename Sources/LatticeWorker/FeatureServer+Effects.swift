import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeWire

/// Effects, which start after the states that requested them were written to the socket, and the messages about named
/// effects.
extension FeatureServer {
    /// Starts the effects whose states were written to the socket. Later states do not delay them.
    func startEffects() {
        if let count = loopState.value.effectsBehindState {
            guard channel.hasWritten() else { return }
            loopState.value.effectsBehindState = nil
            runtime.startHeldEffects(count)
        }
        let count = loopState.value.securedEffects
        guard count > 0, !channel.hasUnsentState else { return }
        loopState.value.securedEffects = 0
        if channel.hasWritten() { runtime.startHeldEffects(count) } else { loopState.value.effectsBehindState = count }
    }

    /// Adds to the next release which named effects have begun and ended.
    func noteEffects() {
        if let changes = runtime.takeNamedChanges() { note(changes) }
    }

    func note(_ changes: NamedEffectChanges) {
        channel.note(
            TurnLedger.Effects(
                begun: changes.begun.map {
                    EffectsMessage.Effect(
                        number: UInt64($0.id),
                        event: $0.event,
                        name: $0.name,
                        recoveries: UInt32($0.recoveries)
                    )
                },
                ended: changes.ended.map(UInt64.init)
            )
        )
    }
}
