import LatticeCore

/// The rules of a group, from its configuration.
struct GroupRules: Sendable {
    var name: String
    var strategy = WorkerGroup.Strategy.oneForOne
    var autoShutdown = WorkerGroup.AutoShutdown.never
    var intensity: RestartIntensity?
    /// The restart policy of the group's workers. Failures of a nested group have a budget of the same size.
    var restart = RestartPolicy()
    /// Whether workers are added and removed while the group runs. The other children do not wait for such workers.
    var isDynamic = false
}

/// The record of the deaths that count against all children of a group together.
struct GroupCount: Sendable {
    private let rules: GroupRules
    private var deaths: [(child: Int, incarnation: UInt64, time: ContinuousClock.Instant)] = []
    /// Whether the group was given up and is now running as a probe.
    private var isProbing = false

    init(_ rules: GroupRules) {
        self.rules = rules
    }

    /// Records that a child ended without an order.
    ///
    /// - Parameter since: When the group was started.
    /// - Returns: A sentence that says why the group is given up, or nil if the group continues.
    mutating func add(
        _ death: GroupState.Death,
        of child: Int,
        since: ContinuousClock.Instant?,
        at now: ContinuousClock.Instant
    ) -> String? {
        switch death.excuse {
        case .none: break
        case .answered, .task: return nil
        case .quarantined(let incarnations):
            deaths.removeAll { $0.child == child && incarnations.contains($0.incarnation) }
            return nil
        }
        if let since, since.duration(to: now) >= rules.restart.stableTime { isProbing = false }
        if isProbing {
            return "the group \"\(rules.name)\" was tried again and failed before it was stable: \(death.cause)"
        }
        guard let intensity = rules.intensity else { return nil }
        deaths.removeAll { $0.time.duration(to: now) > intensity.period }
        deaths.append((child, death.incarnation, now))
        guard deaths.count > intensity.restarts else { return nil }
        return "the group \"\(rules.name)\" was given up, as its children ended \(deaths.count)"
            + " \(deaths.count == 1 ? "time" : "times") within \(intensity.period) and the limit is"
            + " \(intensity.restarts); the last time: \(death.cause)"
    }

    /// Forgets all deaths, because the group starts again.
    mutating func forget() {
        deaths = []
        isProbing = false
    }

    mutating func probe() {
        isProbing = true
    }
}
