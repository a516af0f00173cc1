import LatticeWire

/// The named effects that run at the peer of a channel, as of the newest state that came from the peer.
///
/// A message about effects arrives before the state or the acknowledgement that it belongs to. The ledger holds the
/// message until that arrives, so that the state and the effects never contradict each other.
struct NamedEffectLedger: Sendable {
    /// The named effects that ran when the peer died.
    struct Interrupted: Sendable, Equatable {
        /// The effects to start again, sorted by name, each with the number of deaths that count against it.
        var recoverable: [EffectDeaths] = []
        /// The events that fail, by number. Each has the effect that causes the failure, with the deaths that count
        /// against the effect.
        var failing: [UInt64: EffectDeaths] = [:]
    }

    /// A message about effects that waits for its state or acknowledgement.
    private struct Held {
        var revision: UInt64
        var applied: UInt64
        var begun: [EffectsMessage.Effect]
        var ended: [UInt64]
    }

    private var running: [UInt64: EffectsMessage.Effect] = [:]
    /// The number of deaths by effect name. It contains the names that ran at a death and have not ended since.
    private var deaths: [String: Int] = [:]
    private var held: [Held] = []
    private var heldCount = 0

    /// The maximum number of held messages. When it is reached, further messages are merged into the last one.
    static let longestHeld = 64

    /// Whether messages wait for their state or acknowledgement.
    var isHolding: Bool { !held.isEmpty }

    /// The names of the running effects.
    var names: some Sequence<String> { running.values.lazy.map(\.name) }

    // MARK: Messages from the peer

    /// Holds a message until its state or acknowledgement arrives.
    ///
    /// - Throws: A violation if the peer reports more running effects than the limit allows.
    mutating func hold(_ message: EffectsMessage) throws(SessionError) {
        heldCount += message.begun.count + message.ended.count
        // All running effects may have ended, and as many may have begun instead.
        guard running.count + heldCount <= 3 * MessageLimits.maximumEffects else {
            throw .violation("More than \(MessageLimits.maximumEffects) named effects run on a channel.")
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

    /// Applies the held messages that belong to states and acknowledgements up to these numbers.
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

    // MARK: The end of the connection or the peer

    /// Drops the held messages after the connection broke. The running effects may still run at the peer.
    mutating func forgetHeld() {
        held = []
        heldCount = 0
    }

    /// Decides what happens to the effects that ran when the peer died.
    ///
    /// - Parameters:
    ///   - isBlamed: Whether an effect may have caused the death, so that the death counts against each running effect.
    ///   - hasEnded: Returns whether an event has ended, so that no caller waits for its effects.
    mutating func peerTerminated(isBlamed: Bool, hasEnded: (UInt64) -> Bool) -> Interrupted {
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
        // An effect that is started again by hand starts with a count of zero.
        for name in over { deaths[name] = nil }
        return interrupted
    }

    private mutating func note(_ name: String) {
        // The table is cleared when it is full, so that names that never run again do not stay forever.
        if deaths.count >= MessageLimits.maximumEffects, deaths[name] == nil { deaths = [:] }
        deaths[name, default: 0] += 1
    }
}

/// The name of an effect that may be started again, and the number of worker terminations that count against it.
package struct EffectDeaths: Sendable, Equatable {
    /// The name of the effect.
    package let name: String
    /// The number of times that a worker terminated through its own fault while the effect ran.
    package let deaths: Int

    /// Creates a value from its parts.
    package init(name: String, deaths: Int) {
        self.name = name
        self.deaths = deaths
    }
}
