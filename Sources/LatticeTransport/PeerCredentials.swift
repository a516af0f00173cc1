/// Which process is at the other end of a connection, and whose it is, as the kernel recorded it.
package struct PeerCredentials: Sendable, Equatable {
    /// Who connected, or who listened, at that moment; for a socket pair who made it. -1 where the system does not say.
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32

    package init(processID: Int32, userID: UInt32, groupID: UInt32) {
        self.processID = processID
        self.userID = userID
        self.groupID = groupID
    }

    /// Those of the other end of a connected Unix socket; nil if the descriptor is none.
    package static func of(_ descriptor: Int32) -> PeerCredentials? {
        System.peerCredentials(of: descriptor)
    }

    /// Those of this process.
    package static var current: PeerCredentials {
        PeerCredentials(processID: System.processID, userID: System.userID, groupID: System.groupID)
    }

    /// Whether `user` may talk to us: nobody but ourselves, and root, who may do anything anyway.
    func mayTalk(to user: UInt32) -> Bool {
        userID == user || userID == 0
    }
}
