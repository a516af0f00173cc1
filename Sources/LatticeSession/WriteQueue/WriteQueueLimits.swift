/// How much one session may have waiting to be written.
package struct WriteQueueLimits: Sendable, Equatable {
    /// Small frames are put together up to this size, so that one system call carries many of them and a control
    /// message never waits behind more than this: less than what a Unix socket of the usual size holds besides.
    package var batchBytes = 256 * 1024

    /// A frame that goes to many is referred to from this size on. Copying a smaller one into a hundred outboxes and
    /// writing it from there took less time, measured with batches of 1 to 32 frames.
    package var sharedBytes = 512

    /// A buffer up to this size is kept for the next batch; a session has two of them.
    package var keptBytes = 64 * 1024

    /// What may wait in all. A peer that reads nothing while this fills is ended (`goodbye`, overloaded); one message
    /// of the largest size and a share of small ones fit.
    package var maximumBytes = 96 * 1024 * 1024

    /// A state is only added while less than this waits; else it is asked for when there is room. So the states of many
    /// channels, each of any size, do not go over the limit together.
    package var roomBytes = 16 * 1024 * 1024

    /// Messages of several chunks of which some may be on their way at a time, and their bytes: less than what the
    /// other side keeps of unfinished messages. A larger one goes alone.
    package var maximumUnfinished = 64
    package var maximumUnfinishedBytes = 32 * 1024 * 1024

    /// The payload of a message goes in parts above this size, and in chunks, copied, up to it.
    package var wholeBytes = 1024 * 1024

    package init() {}
}
