/// The limits on the memory that one session can make the other end use, and on the handshake.
package enum FrameLimits {
    /// The maximum body of a frame, in bytes. A control message waits for at most one chunk of a large state, and 64
    /// KiB leave a Unix socket in tens of microseconds.
    package static let maximumBody = 65_536
    /// The maximum size of a message after its chunks are joined, in bytes. A state above this limit belongs in a file
    /// whose name is sent.
    package static let maximumMessage = 64 << 20
    /// The number of bytes that the numbers, names and identities of a message may take in addition to its payload. A
    /// process that passes a payload on writes other numbers and names than the sender, and these must still fit.
    package static let payloadRoom = 65_536
    /// The maximum size of an encoded action or state, in bytes. The configuration can allow less.
    package static let maximumPayload = maximumMessage - payloadRoom
    /// The maximum number of bytes that all unfinished messages of a session may reserve together. It is twice the size
    /// of the largest message.
    package static let maximumAssembly = 128 << 20
    /// The maximum number of unfinished messages of a session. It bounds the bookkeeping, which ``maximumAssembly``
    /// does not count.
    package static let maximumAssemblies = 1_024
    /// The maximum number of times that the memory of an unfinished message grows by less than its double, because
    /// other messages have the rest. Each time the whole message is copied.
    package static let maximumTightGrowths = 16
    /// The maximum number of bytes that all unfinished messages of all clients may reserve together, without
    /// ``freeAssembly`` for each client.
    package static let maximumSharedAssembly = 256 << 20
    /// The number of bytes of unfinished messages that each client may have in addition, so that small messages always
    /// pass.
    package static let freeAssembly = 256 << 10
    /// The maximum body of each frame up to and including the handshake's, in bytes. A peer that has not identified
    /// itself gets no more.
    package static let maximumHandshake = 16_384
    /// The maximum number of bytes of a payload in one message of the kind `part`. Such a message fits into one frame.
    package static let maximumPart = 65_024
    /// The number of bytes of a payload in parts that are sent without credit. The first part therefore leaves at once,
    /// and a receiver of ``maximumAssemblies`` payloads at a time keeps 64 MiB.
    package static let firstParts = 65_536
    /// The number of bytes that the payloads in parts of a session reserve together before other payloads wait for
    /// credit. A larger payload is received alone.
    package static let maximumPartAssembly = 128 << 20
    /// The default maximum size of an encoded state, in bytes. The opener of a channel can allow a larger one, because
    /// such a state is sent in parts.
    package static let maximumState = 256 << 20
    /// The maximum time from the connection to the end of the handshake, in milliseconds. It is long enough for a
    /// loaded machine. It is short enough that a stranger who connects and sends nothing does not hold a descriptor for
    /// long.
    package static let handshakeMilliseconds: UInt32 = 5_000
}
