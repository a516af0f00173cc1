/// A process that asks a coordinator to describe itself.
public struct DescribeRequester: Sendable, Hashable {
    /// The process ID, or nil if the system does not report it.
    public let processID: Int32?
    /// The user ID of the process, or nil if the system does not report it.
    public let userID: UInt32?
    /// A Boolean value that indicates whether the process is connected as a tool, such as `latticectl`. Otherwise it is
    /// a client. The process itself chooses its role.
    public let isTool: Bool

    /// Creates a requester.
    public init(processID: Int32?, userID: UInt32?, isTool: Bool) {
        self.processID = processID
        self.userID = userID
        self.isTool = isTool
    }
}
