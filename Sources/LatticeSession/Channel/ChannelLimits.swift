import LatticeWire

/// How much one channel may hold on to.
package struct ChannelLimits: Sendable, Equatable {
    /// Events that were sent and not yet acknowledged. More than this means that the other side does not keep up;
    /// the sender then hears `rejected(.overloaded)` instead of filling its memory.
    package var maximumEvents = 65_536

    /// Bytes of the actions of those events: they are kept to be sent again after a death.
    package var maximumEventBytes = 64 * 1024 * 1024

    /// Completions that may wait for the state they belong to. The other side cannot complete more events than
    /// were sent, so a peer that goes over this breaks the protocol.
    package var maximumHeldCompletions = 131_072

    /// Events whose effects run, on the serving side. Each costs a task; one over it is rejected as overloaded.
    package var maximumRunning = 65_536

    /// Whose events an opener has told the server of, at a time; one more takes the place of the oldest.
    package var maximumOrigins = MessageLimits.maximumOrigins

    /// Bytes of one encoded action. The sender hears `rejected(.tooLarge)` for what is above.
    package var maximumAction = FrameLimits.maximumPayload

    /// Bytes of one encoded state that the opener takes. An event that makes it larger fails at who serves the channel,
    /// which goes on from the state before.
    package var maximumState = FrameLimits.maximumState

    /// Changes of a state that are kept for who has an older one. Who has missed more of them gets the whole state.
    package var maximumChanges = 1024

    /// Bytes of those changes; of a large state half of its own bytes, if that is more.
    package var maximumChangeBytes = 1024 * 1024

    package init() {}
}
