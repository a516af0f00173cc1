import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport

/// A client as it opens a channel: its identity, the process at the other end of its connection, and what it may do.
struct OpeningClient: Sendable {
    let sender: EventSender
    /// The number of the connection, which is never 0 (``EventName/Origin/connection``).
    let connection: UInt32
    let facts: SenderFacts
    /// The reason why events of the client are rejected, or nil if they are accepted.
    var rejection: String?
    /// A Boolean value that indicates whether the client receives the events that each state contains.
    var receivesCauses: Bool

    init(_ sender: EventSender, connection: UInt64, _ facts: SenderFacts, receivesCauses: Bool = false) {
        self.sender = sender
        self.receivesCauses = receivesCauses
        // More than four billion connections would have to be made before a number means two connections.
        self.connection = UInt32(truncatingIfNeeded: connection % UInt64(UInt32.max)) + 1
        self.facts = facts
    }

    /// The client, as observers and features see it.
    var described: RuntimeEvent.Client { RuntimeEvent.Client(sender, facts) }
}

extension SenderFacts {
    /// Determines the facts about the process at the other end of a connection.
    convenience init(_ peer: Peer) {
        self.init(
            processID: peer.processID,
            userID: peer.userID,
            program: peer.processID.flatMap(ProcessFigures.executable)
        )
    }
}
