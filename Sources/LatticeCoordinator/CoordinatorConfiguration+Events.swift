import LatticeCore

extension CoordinatorConfiguration {
    /// The sink of the runtime's events, with the observers of the program and the log.
    var events: RuntimeEvents { RuntimeEvents(observers + [.logging(to: logger)]) }

    /// The name of the group that this configuration belongs to, or the empty string for the coordinator's own
    /// configuration.
    var group: String {
        get { member.group }
        set { member = RuntimeEvent.Member(group: newValue, instance: member.instance, name: member.name) }
    }
}
