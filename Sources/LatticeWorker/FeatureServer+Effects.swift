import LatticeCore
import LatticeSession
import LatticeWire

/// Effects, which start when the states that asked for them are in the socket, and what is told of those with names.
extension FeatureServer {
    /// Starts the effects whose states are in the socket. Those of states that come later do not hold them up.
    func startEffects() {
        if let count = effectsBehindState {
            guard channel.hasWritten() else { return }
            effectsBehindState = nil
            runtime.startHeldEffects(count)
        }
        let count = securedEffects
        guard count > 0, !channel.hasStateToTell else { return }
        securedEffects = 0
        if channel.hasWritten() { runtime.startHeldEffects(count) } else { effectsBehindState = count }
    }

    /// Has told with the release which effects with names have begun and ended.
    func noteEffects() {
        if let changes = runtime.takeNamedChanges() { note(changes) }
    }

    func note(_ changes: NamedEffectChanges) {
        channel.note(
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
    }
}
