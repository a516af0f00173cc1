import LatticeSession
import LatticeTransport

/// A tool that is connected to the coordinator.
struct ConnectedTool: Sendable {
    let processID: Int32?
    let userID: UInt32?
    let since = ContinuousClock.now

    init(_ session: Session) {
        processID = session.connection.peer.processID
        userID = session.connection.peer.userID
    }
}
