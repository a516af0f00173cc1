import LatticeSession

/// What a group does when one of its children ends: a worker of its own, or a group in it.
///
/// The children of a group are its own workers, one or one for each feature in the order of ``WorkerGroup/features``,
/// and behind them the groups in it, in the order of ``WorkerGroup/groups``.
extension WorkerGroup {
    /// Which children are started again when one of them is, and in which order they start and end.
    ///
    /// Named as OTP's supervisors name them. A worker that is ended for its group's sake may first finish what runs,
    /// within ``WorkerGroup/shutdownTimeout``; what is left of its effects is interrupted by
    /// `Interruption.Cause.group(_:)`, and its features are asked for their `recovery(from:in:)`. Its states are those
    /// that were acknowledged, and events that were not are sent to its next life: nothing that a feature can see
    /// differs from any other end. Such an end counts against nobody.
    public struct Strategy: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// Only the one that ended; the others do not notice. All start, and stop, side by side.
        public static let oneForOne = Strategy(description: "one for one")
        /// All of them: the others are ended in reverse order, then all start in order, each when the one before it
        /// serves. That is what children need that rely on what the others have in memory.
        public static let oneForAll = Strategy(description: "one for all")
        /// The one that ended and those behind it, in the same way; those before it do not notice. That is what a chain
        /// needs in which each relies on those before it.
        public static let restForOne = Strategy(description: "rest for one")
    }

    /// When a group is done, as the children are that may be: workers whose ``RestartPolicy/kind`` lets them end for
    /// good, and groups in it that may be done themselves. What is left of a group that is done is stopped, in reverse
    /// order, and stays so until it is reset: `hostStatus` is `failed` with a reason that says so.
    public struct AutoShutdown: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        /// Never.
        public static let never = AutoShutdown(description: "never")
        /// With the first of them.
        public static let any = AutoShutdown(description: "any")
        /// With the last of them.
        public static let all = AutoShutdown(description: "all")
    }

    /// How many restarts of all children of a group together are taken.
    ///
    /// A group with more of them is given up. If it is in another group that counts as the end of one child there, with
    /// what the strategy there asks for: so a fault that starting a worker again does not cure is met by starting more
    /// and more of what is around it. A group that is in no other one stays `failed` until a reset, or for its policy's
    /// ``RestartPolicy/probeDelay``.
    ///
    /// Ends that a restart of the group brings about do not count, nor do those that an event has caused which goes to
    /// quarantine, those that features answer for, and starts for which there was no room.
    public struct Intensity: Sendable, Hashable {
        /// So many are taken within `period`: 0 or more.
        public var restarts: Int
        /// From a millisecond.
        public var period: Duration

        public init(restarts: Int, period: Duration) {
            self.restarts = restarts
            self.period = period
        }

        func check() throws(ConfigurationError) {
            try Settings.check("intensity.restarts", count: restarts)
            try Settings.check("intensity.period", period)
        }
    }

    /// Whether somebody has to say in which order its children start and end.
    var isCoordinated: Bool {
        strategy != .oneForOne || autoShutdown != .never || intensity != nil || !groups.isEmpty
    }
}

extension CoordinatorConfiguration {
    /// How long all workers take at most to leave when the coordinator stops: those of the groups side by side.
    var placementStopTimeout: Duration {
        groups.map { stopTimeout(of: $0) }.max().map { max($0, ownStopTimeout) } ?? ownStopTimeout
    }

    /// How long one worker takes: the drain with its last cancels, then goodbye, SIGTERM and SIGKILL.
    var ownStopTimeout: Duration {
        drainTimeout + WorkerSupervisor.cancelTimeout * 2 + teardownTimeout * 2 + WorkerSupervisor.reapTimeout
    }

    /// The sum of all children where they stop one after the other, else that of the slowest.
    private func stopTimeout(of group: WorkerGroup) -> Duration {
        var configuration = self
        configuration.drainTimeout = group.shutdownTimeout ?? drainTimeout
        let workers = group.workers == .onePerFeature ? group.features.count : 1
        let children =
            Array(repeating: configuration.ownStopTimeout, count: workers) + group.groups.map { stopTimeout(of: $0) }
        return group.strategy == .oneForOne ? children.max() ?? .zero : children.reduce(.zero, +)
    }
}
