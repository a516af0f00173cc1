import LatticeWire

/// The limits on what one channel keeps in memory.
package struct ChannelLimits: Sendable, Equatable {
    /// The maximum number of events that were sent and are not yet acknowledged. The limit is reached when the peer
    /// does not keep up. Further events end with `rejected(.overloaded)`, so the sender does not run out of memory.
    package var maximumEvents = 65_536

    /// The maximum size in bytes of the actions of those events. The actions are kept so that they can be sent again
    /// after a worker's death. Further events end with `rejected(.overloaded)`.
    package var maximumEventBytes = 64 * 1024 * 1024

    /// The maximum number of completions that wait for the state they belong to. The peer cannot complete more events
    /// than were sent, so a peer that exceeds this limit violates the protocol.
    package var maximumHeldCompletions = 131_072

    /// The maximum number of events whose effects run on the serving side. Each of them costs a task. Further events
    /// are rejected as overloaded.
    package var maximumRunning = 65_536

    /// The maximum number of origins that an opener has introduced to the server at a time. When it is reached, a new
    /// origin replaces the oldest one.
    package var maximumOrigins = MessageLimits.maximumOrigins

    /// The maximum size of one encoded action in bytes. A larger event ends with `rejected(.tooLarge)`.
    package var maximumAction = FrameLimits.maximumPayload

    /// The maximum size in bytes of one encoded state that the opener accepts. An event that makes the state larger
    /// fails on the serving side, which continues from the state before that event.
    package var maximumState = FrameLimits.maximumState

    /// The time after the deadline of an event in which the peer must say how the event has ended. After that the
    /// event ends here, because a peer that hangs says nothing.
    package var deadlineGrace: Duration = .milliseconds(30)

    /// The maximum number of state changes that are kept for peers with an older state. A peer that has missed more
    /// changes receives the whole state.
    package var maximumChanges = 1024

    /// The maximum size of those changes in bytes. For a large state, half of the size of the state applies instead if
    /// that is more.
    package var maximumChangeBytes = 1024 * 1024

    /// Creates the default limits.
    package init() {}
}
