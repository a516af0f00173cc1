/// What one session may ask the other end to hold in memory.
package enum FrameLimits {
    /// Bytes of one frame's body. A control message waits at most for one chunk of a large state, and 64 KiB leave a
    /// Unix socket in tens of microseconds.
    package static let maximumBody = 65_536
    /// Bytes of one message after its chunks were joined. A state above it belongs into a file whose name is sent.
    package static let maximumMessage = 64 << 20
    /// Bytes that the numbers, names and identities of a message may take beside its payload: whoever passes a payload
    /// on writes others than who sent it, and they still fit.
    package static let payloadRoom = 65_536
    /// Bytes of one encoded action or state. Settings may allow less.
    package static let maximumPayload = maximumMessage - payloadRoom
    /// Bytes that all unfinished messages of a session may reserve together: two messages of the largest size.
    package static let maximumAssembly = 128 << 20
    /// Messages of a session that may be unfinished at the same time. It bounds the bookkeeping, which
    /// ``maximumAssembly`` does not count.
    package static let maximumAssemblies = 1_024
    /// How often the room of an unfinished message may grow by less than its double, because others have the rest.
    /// Each time all of the message is copied.
    package static let maximumTightGrowths = 16
    /// Bytes that all unfinished messages of all clients together may reserve, without ``freeAssembly`` for each.
    package static let maximumSharedAssembly = 256 << 20
    /// Bytes of unfinished messages that each client may have besides, so that small ones always pass.
    package static let freeAssembly = 256 << 10
    /// Bytes of the first frame's body: a peer that has not said who it is gets no more.
    package static let maximumHandshake = 16_384
    /// Bytes of a payload that go out in one message of kind `part`, which fits into one frame.
    package static let maximumPart = 65_024
    /// Bytes of a payload in parts that go out without credit: so the first part leaves at once, and a receiver that is
    /// given ``maximumAssemblies`` of them at a time keeps 64 MiB.
    package static let firstParts = 65_536
    /// Bytes that the payloads in parts of a session reserve together before others wait for credit. A larger one goes
    /// alone.
    package static let maximumPartAssembly = 128 << 20
    /// Bytes of one encoded state, where settings do not say something else. It may be as large as its opener allows,
    /// since it goes in parts.
    package static let maximumState = 256 << 20
    /// Milliseconds from the connection to the end of the handshake: long enough for a loaded machine, short enough
    /// that a stranger who connects and says nothing does not hold a descriptor for long.
    package static let handshakeMilliseconds: UInt32 = 5_000
}
