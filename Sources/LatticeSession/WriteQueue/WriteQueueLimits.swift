/// The limits on what one session keeps waiting to be written.
package struct WriteQueueLimits: Sendable, Equatable {
    /// The size in bytes up to which small frames are combined, so that one system call writes many of them. A control
    /// message never waits for more than this in the queue, which is less than what it may wait for in the buffer of a
    /// Unix socket of typical size.
    package var batchBytes = 256 * 1024

    /// The size in bytes from which a frame that is sent to many peers is shared instead of copied. Copying smaller
    /// frames into a hundred queues and writing them from there took less time, measured with batches of 1 to 32
    /// frames.
    package var sharedBytes = 512

    /// The maximum size in bytes of a buffer that is kept for the next batch. A session has two of these buffers.
    package var keptBytes = 64 * 1024

    /// The maximum number of waiting bytes. A session whose peer reads nothing until this is reached is ended with
    /// `goodbye` (overloaded). One message of the maximum size and a share of small messages fit.
    package var maximumBytes = 96 * 1024 * 1024

    /// The number of waiting bytes from which no further state is added. States are requested again when there is room,
    /// so that the states of many channels, each of any size, do not exceed the limit together.
    package var roomBytes = 16 * 1024 * 1024

    /// The maximum number of messages with several chunks that are in flight at a time. It is less than the number of
    /// unfinished messages that the peer keeps.
    package var maximumUnfinished = 64
    /// The maximum size in bytes of those messages. It is less than what the peer keeps of unfinished messages. A
    /// larger message is sent alone.
    package var maximumUnfinishedBytes = 32 * 1024 * 1024

    /// The size in bytes up to which the payload of a message is copied and sent in chunks. A larger payload is sent in
    /// parts.
    package var wholeBytes = 1024 * 1024

    /// Creates the default limits.
    package init() {}
}
