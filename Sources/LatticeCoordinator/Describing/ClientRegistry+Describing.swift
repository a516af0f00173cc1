import LatticeSession
import LatticeTransport
import LatticeWire

extension ClientRegistry {
    /// Answers a request to describe the coordinator. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - number: The number of the session's connection.
    ///   - isTool: Whether the process at the other end is a tool.
    func describe(_ message: DescribeMessage, on session: Session, of number: UInt64, isTool: Bool) {
        let peer = session.connection.peer
        let requester = DescribeRequester(processID: peer.processID, userID: peer.userID, isTool: isTool)
        let request = Describer.Request(
            message: message,
            session: session,
            requester: requester,
            sections: { [self] in sections(for: requester, on: session.eventLoop) }
        )
        describer.receive(request, of: number)
    }

    /// Returns the sections that a process may see.
    func sections(for requester: DescribeRequester, on eventLoop: any EventLoop) -> [DescribedSection] {
        // What a worker wrote can contain values of the application.
        let showsOutput = requester.isTool || configuration.sharesCrashReports
        return [
            coordinatorSection, workersSection, groupsSection, terminationsSection(showsOutput: showsOutput),
            instancesSection(on: eventLoop), eventsSection(on: eventLoop), clientsSection(on: eventLoop), toolsSection,
            quarantineSection,
        ]
    }
}
