/// The settings of groups, which a file can change.
extension CoordinatorConfiguration {
    /// The names of all groups, including nested ones.
    var groupNames: [String] { groups.flatMap(\.names) }

    func hasGroup(_ name: String) -> Bool { groupNames.contains(name) }

    /// Returns the group with a name, which may be nested.
    func group(_ name: String) -> WorkerGroup? { groups.lazy.compactMap { $0.find(name) }.first }

    /// Returns the configuration with the settings of a group in the place of the coordinator's.
    func scope(ofGroup name: String) -> CoordinatorConfiguration {
        var scope = self
        guard let group = groups.lazy.compactMap({ $0.find(name) }).first else { return scope }
        scope.restart = group.restart ?? restart
        scope.limits = group.limits ?? limits
        scope.standby = group.standby ?? standby
        scope.drainTimeout = group.shutdownTimeout ?? drainTimeout
        return scope
    }

    /// Sets a value of a group.
    ///
    /// - Returns: Whether the text has the right form. If not, nothing has changed.
    mutating func set(_ text: String, _ value: SettingValue, ofGroup name: String) -> Bool {
        let before = scope(ofGroup: name)
        var after = before
        guard value.set(text, in: &after) else { return false }
        for index in groups.indices {
            groups[index].update(name) { group in
                // Only what differs becomes the group's own, so that it keeps the coordinator's other values.
                if after.restart != before.restart { group.restart = after.restart }
                if after.limits != before.limits { group.limits = after.limits }
                if after.standby != before.standby { group.standby = after.standby }
                if after.drainTimeout != before.drainTimeout { group.shutdownTimeout = after.drainTimeout }
            }
        }
        return true
    }
}

extension WorkerGroup {
    fileprivate var names: [String] { [name] + groups.flatMap(\.names) }

    fileprivate func find(_ name: String) -> WorkerGroup? {
        self.name == name ? self : groups.lazy.compactMap { $0.find(name) }.first
    }

    fileprivate mutating func update(_ name: String, _ body: (inout WorkerGroup) -> Void) {
        if self.name == name { body(&self) }
        for index in groups.indices { groups[index].update(name, body) }
    }
}
