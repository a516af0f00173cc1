/// The settings of groups, which a file can change.
extension CoordinatorConfiguration {
    /// The names of all groups, including nested ones.
    var groupNames: [String] { groups.flatMap(\.names) }

    /// Returns the group with a name, which may be nested.
    func group(_ name: String) -> WorkerGroup? { groups.lazy.compactMap { $0.find(name) }.first }

    /// Returns the configuration with the settings of a group in the place of the coordinator's.
    func scope(ofGroup name: String) -> CoordinatorConfiguration {
        var scope = self
        guard let group = group(name) else { return scope }
        scope.restart = group.restart ?? restart
        scope.limits = group.limits ?? limits
        scope.standby = group.standby ?? standby
        scope.drainTimeout = group.shutdownTimeout ?? drainTimeout
        return scope
    }

    /// Changes settings of a group, which the closure gets in the place of the coordinator's.
    ///
    /// - Returns: The result of the closure.
    mutating func change<Result>(
        ofGroup name: String,
        _ body: (inout CoordinatorConfiguration) -> Result
    ) -> Result {
        let before = scope(ofGroup: name)
        var after = before
        let result = body(&after)
        for index in groups.indices {
            groups[index].update(name) { group in
                // Only what differs becomes the group's own, so that it keeps the coordinator's other values.
                if after.restart != before.restart { group.restart = after.restart }
                if after.limits != before.limits { group.limits = after.limits }
                if after.standby != before.standby { group.standby = after.standby }
                if after.drainTimeout != before.drainTimeout { group.shutdownTimeout = after.drainTimeout }
            }
        }
        return result
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
