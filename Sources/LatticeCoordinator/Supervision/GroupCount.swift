import LatticeCore

/// What a group does, as its configuration says.
struct GroupRules: Sendable {
    var name: String
    var strategy = WorkerGroup.Strategy.oneForOne
    var autoShutdown = WorkerGroup.AutoShutdown.never
    var intensity: WorkerGroup.Intensity?
    /// That of its workers. What counts against a group in it has the same budget.
    var restart = RestartPolicy()
    /// Whether its workers come and go, so that nobody waits for them.
    var isDynamic = false
}

/// What counts against the children of a group together.
struct GroupCount: Sendable {
    private let rules: GroupRules
    private var deaths: [(child: Int, life: UInt64, time: ContinuousClock.Instant)] = []
    /// Whether the group was given up, and this is the try that shows whether that still holds.
    private var isProbing = false

    init(_ rules: GroupRules) {
        self.rules = rules
    }

    /// A child ended that was not to.
    ///
    /// - Parameter since: When the group was started.
    /// - Returns: Why the group is given up, in a sentence; nil: it goes on.
    mutating func add(
        _ death: GroupState.Death,
        of child: Int,
        since: ContinuousClock.Instant?,
        at now: ContinuousClock.Instant
    ) -> String? {
        switch death.excuse {
        case .none: break
        case .answered: return nil
        case .quarantined(let lives):
            deaths.removeAll { $0.child == child && lives.contains($0.life) }
            return nil
        }
        if let since, since.duration(to: now) >= rules.restart.stableTime { isProbing = false }
        if isProbing {
            return "the group \"\(rules.name)\", tried again, was not stable: \(death.cause)"
        }
        guard let intensity = rules.intensity else { return nil }
        deaths.removeAll { $0.time.duration(to: now) > intensity.period }
        deaths.append((child, death.life, now))
        guard deaths.count > intensity.restarts else { return nil }
        return "the group \"\(rules.name)\" is given up: \(deaths.count) of its children ended within"
            + " \(intensity.period), and \(intensity.restarts) are taken; the last one: \(death.cause)"
    }

    /// The group begins anew.
    mutating func forget() {
        deaths = []
        isProbing = false
    }

    mutating func probe() {
        isProbing = true
    }
}
