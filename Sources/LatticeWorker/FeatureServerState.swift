import LatticeCore
import LatticeHosting
import LatticeSession

/// What a ``FeatureServer`` of any feature knows, apart from the state of the feature. It belongs to the event loop.
struct FeatureServerState {
    /// A state that is being encoded on another thread.
    struct Encoding {
        /// The unique number of the encoding.
        let number: Int
        /// The number of effects that the turns before it requested.
        let effects: Int
        /// The named effects that have begun and ended since the encoding before.
        let named: NamedEffectChanges?
    }

    var isDraining = false
    /// A Boolean value that indicates whether something has happened since the last release.
    var isAhead = false
    /// The reason why the current state cannot be sent, until it is rolled back.
    var failure: EffectFailure?
    var encoding: Encoding?
    var encodings = 0
    /// The size in bytes of the newest state that was encoded as a whole.
    var bytes = 0
    /// A buffer for the bytes of the next state.
    var spare: [UInt8] = []
    /// The number of held effects whose states are released.
    var securedEffects = 0
    /// The number of held effects whose states are being written to the socket.
    var effectsBehindState: Int?
    /// The origin of the last event. The next event most likely has the same one.
    var recent: (name: EventName.Origin, origin: EventOrigin)?
    /// The origins of events by the numbers of their introductions, so that none is made again when clients take turns.
    var origins: [UInt32: EventOrigin] = [:]
    /// The revision of the state that was reported last.
    var reportedRevision: UInt64
}
