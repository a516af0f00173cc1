import LatticeWire

/// The effects with names that run at the other side of a channel, as of the newest state that came from there.
///
/// What the other side says of them goes ahead of the state or the acknowledgement that it belongs to, and is held
/// until that is here: state and effects cannot disagree.
struct NamedEffectLedger: Sendable {
    /// What ran when the other side died.
    struct Interrupted: Sendable, Equatable {
        /// To be started again: names, and how many deaths count against each; sorted.
        var recoverable: [EffectDeaths] = []
        /// The events that fail, and by which effect, with the deaths that count against it.
        var failing: [UInt64: EffectDeaths] = [:]
    }

    /// What was said, and not all of what it belongs to has come.
    private struct Held {
        var revision: UInt64
        var applied: UInt64
        var begun: [EffectsMessage.Effect]
        var ended: [UInt64]
    }

    private var running: [UInt64: EffectsMessage.Effect] = [:]
    /// By name, of those that ran at a death and have not been seen to end since.
    private var deaths: [String: Int] = [:]
    private var held: [Held] = []
    private var heldCount = 0

    /// With more messages than these held the last ones are taken together.
    static let longestHeld = 64

    var isHolding: Bool { !held.isEmpty }

    /// The names of those that run.
    var names: some Sequence<String> { running.values.lazy.map(\.name) }

    // MARK: What the other side says

    /// - Throws: When the other side says that more effects run than may.
    mutating func hold(_ message: EffectsMessage) throws(SessionError) {
        heldCount += message.begun.count + message.ended.count
        // Each that runs may have ended, and as many may have begun instead.
        guard running.count + heldCount <= 3 * MessageLimits.maximumEffects else {
            throw .violation("more than \(MessageLimits.maximumEffects) effects with names run on a channel")
        }
        if held.count >= Self.longestHeld, let last = held.indices.last {
            held[last].revision = max(held[last].revision, message.revision)
            held[last].applied = max(held[last].applied, message.applied)
            held[last].begun += message.begun
            held[last].ended += message.ended
        } else {
            held.append(
                Held(
                    revision: message.revision,
                    applied: message.applied,
                    begun: message.begun,
                    ended: message.ended
                )
            )
        }
    }

    /// What belongs to states and acknowledgements up to these takes effect.
    mutating func settle(revision: UInt64, applied: UInt64) {
        while let first = held.first, first.revision <= revision, first.applied <= applied {
            held.removeFirst()
            heldCount -= first.begun.count + first.ended.count
            for effect in first.begun { running[effect.number] = effect }
            for number in first.ended { end(number) }
        }
    }

    private mutating func end(_ number: UInt64) {
        guard let effect = running.removeValue(forKey: number) else { return }
        if !deaths.isEmpty { deaths[effect.name] = nil }
    }

    // MARK: The other side is gone

    /// The connection is gone; what ran may still run.
    mutating func forgetHeld() {
        held = []
        heldCount = 0
    }

    /// What ran is gone.
    ///
    /// - Parameters:
    ///   - isBlamed: Whether what the other side did is why.
    ///   - hasEnded: Whether an event has ended, and nobody waits for its effects.
    mutating func lifeEnded(isBlamed: Bool, hasEnded: (UInt64) -> Bool) -> Interrupted {
        defer { running = [:] }
        forgetHeld()
        var interrupted = Interrupted()
        var counted: Set<String> = []
        var over: Set<String> = []
        for effect in running.values.sorted(by: { ($0.name, $0.number) < ($1.name, $1.number) }) {
            guard effect.event == 0 || !hasEnded(effect.event) else { continue }
            let isRecoverable = effect.recoveries > 0
            if isBlamed, isRecoverable, counted.insert(effect.name).inserted { note(effect.name) }
            let deaths = deaths[effect.name] ?? 0
            if isRecoverable, deaths <= effect.recoveries {
                if interrupted.recoverable.last?.name != effect.name {
                    interrupted.recoverable.append(EffectDeaths(name: effect.name, deaths: deaths))
                }
                continue
            }
            if isRecoverable { over.insert(effect.name) }
            if effect.event != 0, interrupted.failing[effect.event] == nil {
                interrupted.failing[effect.event] = EffectDeaths(name: effect.name, deaths: deaths)
            }
        }
        // Whoever starts one again by hand begins anew.
        for name in over { deaths[name] = nil }
        return interrupted
    }

    private mutating func note(_ name: String) {
        // Names that never come back are not kept for ever.
        if deaths.count >= MessageLimits.maximumEffects, deaths[name] == nil { deaths = [:] }
        deaths[name, default: 0] += 1
    }
}

/// The name of an effect that may be started again, and how many lives ended by their own doing while it ran.
package struct EffectDeaths: Sendable, Equatable {
    package let name: String
    package let deaths: Int

    package init(name: String, deaths: Int) {
        self.name = name
        self.deaths = deaths
    }
}
