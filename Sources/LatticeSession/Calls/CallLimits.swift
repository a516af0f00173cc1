/// How much may be under way.
package enum CallLimits {
    /// Calls of one direction of a session that have not ended. Each costs a task at least; one more is refused as
    /// overloaded.
    package static let maximumCalls = 65_536
    /// Names that one node may publish.
    package static let maximumNames = 1_024
    /// Who may wait for names, or for ends, at one node.
    package static let maximumWaiters = 16_384
    /// Bytes of answers that wait for one caller to read them before its next calls begin, and of calls that wait for
    /// room on a session before more are refused.
    package static let maximumWaiting = 64 << 20
    /// Bytes of answers that wait for one caller to read them before further ones become failures.
    package static let maximumWaiting = 256 << 20
    /// How long a coordinator waits for a name at most, however long it is asked to. The caller asks again.
    package static let longestNameWait: Duration = .seconds(3_600)
    /// Nodes without a session that a coordinator remembers, so that no other process comes in their place. The one
    /// that has been away for the longest is forgotten first.
    package static let maximumAbsentNodes = 4_096
    /// Bytes of the arguments of the calls that run for the other side of a session; a larger one runs alone.
    package static let maximumArguments = 128 << 20
    /// Bytes of one encoded element of a stream. What is larger is to be divided, which a stream is for.
    package static let maximumElement = 4 << 20
    /// Bytes of a stream's elements that are on their way, or wait to be taken; an element that is larger goes alone.
    package static let streamWindow = 64 << 10
}
