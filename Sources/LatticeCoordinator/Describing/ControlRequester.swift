/// A process that asks to look into a coordinator, or to act on it.
public struct ControlRequester: Sendable, Hashable {
    /// The process ID, or nil if the system does not report it.
    public let processID: Int32?
    /// The user ID of the process, or nil if the system does not report it.
    public let userID: UInt32?
    /// The path of the program that the process runs, or nil if the system does not report it. Another program can run
    /// in the process a moment later, so the path is good for logs and not for protection.
    public let program: String?
    /// A Boolean value that indicates whether the process is connected as a tool, such as `latticectl`. Otherwise it is
    /// a client. The process itself chooses its role.
    public let isTool: Bool

    /// Creates a requester.
    public init(processID: Int32?, userID: UInt32?, program: String? = nil, isTool: Bool) {
        self.processID = processID
        self.userID = userID
        self.program = program
        self.isTool = isTool
    }
}

extension ControlRequester {
    /// The process for logs and causes, such as: process 4711 (latticectl) of user 1000.
    var title: String {
        let program = program?.split(separator: "/").last
        // The file name of a program can contain control characters, and a terminal may show them.
        let name = program.map { " (\($0.unicodeScalars.map { $0.escaped(asASCII: false) }.joined()))" } ?? ""
        let process = processID.map { "process \($0)" } ?? "a process"
        return process + name + (userID.map { " of user \($0)" } ?? "")
    }
}
