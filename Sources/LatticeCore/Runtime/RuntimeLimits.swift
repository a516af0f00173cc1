/// The limits that keep a runtime from running forever.
package enum RuntimeLimits {
    /// The maximum number of actions in one turn. A turn that exceeds it is stopped, and its event ends as `failed`.
    package static let actionsPerTurn = 200_000
    /// The maximum number of events that wait for a turn to end, and of turns that follow one another without a pause.
    /// Further events are `rejected(.overloaded)`.
    package static let sendsBehindTurn = 100_000
    /// The maximum number of elements of an observed stream that wait for their turn, and that one turn handles. The
    /// next element of the stream is read when there is room.
    package static let waitingElements = 64
    /// The maximum number of named effects that run in a feature at the same time. A name is for an individual effect
    /// that can be recovered, not for mass use. Further effects fail.
    package static let namedEffects = 4_096
    /// The maximum length of the name of an effect, in bytes of UTF-8.
    package static let effectNameBytes = 255
    /// The maximum number of times that an effect can be recovered.
    package static let recoveries = 1_000
    /// The maximum size of the encoded value of a rejection, in bytes. A larger value is left out.
    package static let rejectionValueBytes = 1_024
    /// The depth to which the parts of an emission are visited recursively, which needs a few kilobytes of stack.
    /// Deeper parts are visited iteratively.
    static let recursionDepth = 32
    /// The maximum time for which a caller that waits for a cancelled event waits for effects that ignore their
    /// cancellation.
    package static let cancellationGrace: Duration = .milliseconds(100)
    /// The time after which effects that ignore their cancellation are reported, unless the worker sets another one.
    package static let lingeringTimeout: Duration = .seconds(10)
}
