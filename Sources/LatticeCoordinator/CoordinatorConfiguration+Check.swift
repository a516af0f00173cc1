import LatticeSession

extension CoordinatorConfiguration {
    /// - Throws: `CoordinatorError` if a setting is invalid or cannot be applied on this system.
    func check() throws(CoordinatorError) {
        if let problemOfTimes { throw .invalid("The coordinator's configuration is invalid: \(problemOfTimes)") }
        if let problemOfSizes { throw .invalid("\(problemOfSizes).") }
    }

    /// The mistake in a setting, as a text that begins with its name, or nil if there is none.
    var problem: String? { problemOfTimes ?? problemOfSizes }

    private var problemOfTimes: String? {
        do throws(ConfigurationError) {
            try Settings.check("openTimeout", openTimeout)
            try Settings.checkHeartbeat(interval: heartbeatInterval, timeout: heartbeatTimeout)
            try Settings.check("backtraceTimeout", backtraceTimeout)
            try Settings.check("drainTimeout", drainTimeout, from: .zero)
            try Settings.check("teardownTimeout", teardownTimeout)
            try Settings.check("deadlineGrace", deadlineGrace, from: .zero)
            try Settings.check("clientRetention", clientRetention, from: .zero)
            for (feature, timeout) in idleTimeouts { try Settings.check("closeWhenIdle of \"\(feature)\"", timeout) }
            for (feature, hook) in stateHooks {
                try Settings.check("observeStates of \"\(feature)\"", hook.interval)
            }
            try restart.check()
            try limits.check()
        } catch {
            return error.message
        }
        return nil
    }

    private var problemOfSizes: String? {
        let sizes = [
            ("maximumInstances", maximumInstances, Self.maximumInstancesRange),
            ("maximumInstancesPerClient", maximumInstancesPerClient, Self.maximumInstancesRange),
            ("maximumEventsPerClient", maximumEventsPerClient, Self.maximumEventsPerClientRange),
            ("maximumActionBytes", maximumActionBytes, Self.maximumActionBytesRange),
            ("maximumStateBytes", maximumStateBytes, Self.maximumStateBytesRange),
        ]
        for (name, size, range) in sizes where !range.contains(size) {
            return "\(name) is \(size). Choose a value from \(range.lowerBound) to \(range.upperBound)"
        }
        return nil
    }
}
