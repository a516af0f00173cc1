import LatticeTransport

/// The sections of a coordinator that can be described.
struct CoordinatorSections: Sendable {
    let facts: CoordinatorFacts
    let registry: FeatureRegistry
    let clients: ClientRegistry
    let configuration: CoordinatorConfiguration
    /// The event loop that owns the instances and the channels of clients.
    let eventLoop: any EventLoop

    /// Returns the sections that a process may see.
    func visible(to requester: ControlRequester) -> [DescribedSection] {
        // What a worker wrote can contain values of the application.
        let showsOutput = requester.isTool || configuration.sharesCrashReports
        return [
            coordinatorSection, workersSection, groupsSection, terminationsSection(showsOutput: showsOutput),
            instancesSection, eventsSection, actorsSection, callsSection, clientsSection, toolsSection,
            quarantineSection,
        ] + (showsOutput ? [logSection] : [])
    }
}
