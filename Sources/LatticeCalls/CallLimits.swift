/// The limits on calls.
package enum CallLimits {
    /// The number of calls in one direction of a session that have not ended. Each call costs a task at least. Further
    /// calls are refused as overloaded.
    package static let maximumCalls = 65_536
    /// The number of names that one node can publish.
    package static let maximumNames = 1_024
    /// The number of names that one node can watch at a time. Each search for a name is a watch until it ends.
    package static let maximumWatches = 16_384
    /// The number of waiters for the ends of actors at one node.
    package static let maximumWaiters = 16_384
    /// The number of unread bytes after which calls pause. When this many bytes of answers wait for one caller to read
    /// them, its next calls do not begin. When this many bytes of calls wait for room on a session, further calls are
    /// refused.
    package static let backlogThreshold = 64 << 20
    /// The number of bytes of answers that can wait for one caller to read them. Further answers are replaced by
    /// failures.
    package static let maximumBacklog = 256 << 20
    /// The number of nodes without a session that a coordinator remembers, so that another process cannot take
    /// their IDs. Beyond it, the node that has been absent for the longest time is forgotten.
    package static let maximumAbsentNodes = 4_096
    /// The number of bytes of the arguments of all calls that run for the other side of a session. A call with larger
    /// arguments only runs alone.
    package static let maximumArguments = 128 << 20
    /// The number of bytes of one encoded element of a stream. Larger values must be divided into several elements.
    package static let maximumElement = 4 << 20
    /// The number of bytes of a stream's elements that can be in transit or wait to be read. A larger element is sent
    /// alone.
    package static let streamWindow = 64 << 10
}
