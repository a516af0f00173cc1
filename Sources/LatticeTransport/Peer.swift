/// The party at the other end of a connection.
package enum Peer: Sendable, Equatable {
    /// A process on this machine, as the kernel recorded it.
    case local(Credentials)
    /// A party that a relay has authenticated.
    case relayed(Principal)
    /// A party that the system did not identify.
    case unknown

    /// A process and its owner.
    package struct Credentials: Sendable, Equatable {
        /// The process that called `connect` or `listen`, recorded by the kernel at that call. For a socket pair it is
        /// the process that created the pair. It is -1 if the system does not report it.
        package let processID: Int32
        /// The effective user of the process.
        package let userID: UInt32
        /// The effective group of the process.
        package let groupID: UInt32

        package init(processID: Int32, userID: UInt32, groupID: UInt32) {
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
        }

        /// The credentials of this process.
        package static var current: Credentials {
            Credentials(processID: System.processID, userID: System.userID, groupID: System.groupID)
        }
    }

    /// The name by which a relay knows a party. It has a meaning only for that relay.
    package struct Principal: Sendable, Hashable {
        /// The maximum size of a name in bytes of UTF-8.
        package static let maximumBytes = 255

        /// The name.
        package let name: String

        /// Creates a principal, or nil if the name is empty or has more than ``maximumBytes`` of UTF-8.
        package init?(_ name: String) {
            guard !name.isEmpty, name.utf8.count <= Self.maximumBytes else { return nil }
            self.name = name
        }
    }

    /// This process itself.
    package static var current: Peer { .local(.current) }

    /// The user of a local peer; nil for other peers.
    package var userID: UInt32? { credentials?.userID }
    /// The process of a local peer; nil for other peers.
    package var processID: Int32? { credentials?.processID }

    private var credentials: Credentials? {
        if case .local(let credentials) = self { credentials } else { nil }
    }

    /// Returns whether the peer may talk to a process of `user`. Only the same user may, and root, which may do
    /// anything anyway.
    func mayTalk(to user: UInt32) -> Bool {
        userID == user || userID == 0
    }
}
