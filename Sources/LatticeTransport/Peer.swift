/// Who is at the other end of a connection.
package enum Peer: Sendable, Equatable {
    /// A process of this machine, as the kernel recorded it.
    case local(Credentials)
    /// Somebody whom a relay vouches for.
    case relayed(Principal)
    /// The system did not say.
    case unknown

    /// A process and whose it is.
    package struct Credentials: Sendable, Equatable {
        /// Who connected, or who listened, at that moment; for a socket pair who made it. -1 where the system does not
        /// say.
        package let processID: Int32
        package let userID: UInt32
        package let groupID: UInt32

        package init(processID: Int32, userID: UInt32, groupID: UInt32) {
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
        }

        /// Those of this process.
        package static var current: Credentials {
            Credentials(processID: System.processID, userID: System.userID, groupID: System.groupID)
        }
    }

    /// The name under which a relay knows somebody. It means something to that relay only.
    package struct Principal: Sendable, Hashable {
        package static let maximumBytes = 255

        package let name: String

        /// nil if the name is empty or has more than ``maximumBytes`` of UTF-8.
        package init?(_ name: String) {
            guard !name.isEmpty, name.utf8.count <= Self.maximumBytes else { return nil }
            self.name = name
        }
    }

    /// This process itself.
    package static var current: Peer { .local(.current) }

    /// nil unless it is local.
    package var userID: UInt32? { credentials?.userID }
    package var processID: Int32? { credentials?.processID }

    private var credentials: Credentials? {
        if case .local(let credentials) = self { credentials } else { nil }
    }

    /// Whether `user` may talk to us: nobody but ourselves, and root, who may do anything anyway.
    func mayTalk(to user: UInt32) -> Bool {
        userID == user || userID == 0
    }
}
