/// The settings that decide what a group does when one of its children ends.
///
/// The children of a group are its own workers, followed by its nested groups in the order of ``WorkerGroup/groups``.
/// Its own workers are one worker, or one for each feature in the order of ``WorkerGroup/features``.
extension WorkerGroup {
    /// The rule that selects which children are restarted when a child ends, and in which order children start and end.
    /// The names are those of OTP's supervisors.
    ///
    /// A worker that its group ends may first finish what is running, within ``WorkerGroup/shutdownTimeout``. The
    /// effects that remain are interrupted by `Interruption.Cause.group(_:)`, and their features are asked for their
    /// `recovery(from:in:)`. The next incarnation starts from the acknowledged states and receives the events that were
    /// not acknowledged. To a feature this looks like any other end of its worker. Such an end counts against no
    /// worker.
    public struct Strategy: Sendable, Hashable, CustomStringConvertible {
        /// The name of the strategy, such as "one for one".
        public let description: String

        /// Only the child that ended is restarted. The others are not affected. All children start and stop
        /// concurrently.
        public static let oneForOne = Strategy(description: "one for one")
        /// All children are restarted. The others end in reverse order. Then all start in order, each one when the one
        /// before it serves. Use this for children that rely on each other's state in memory.
        public static let oneForAll = Strategy(description: "one for all")
        /// The child that ended and those after it are restarted, in the same order as with ``oneForAll``. Those before
        /// it are not affected. Use this for a chain in which each child relies on the ones before it.
        public static let restForOne = Strategy(description: "rest for one")
    }

    /// The condition under which a group is done.
    ///
    /// A child may be done if it is a worker whose ``RestartPolicy/kind`` lets it end permanently, or a nested group
    /// that may be done itself. When a group is done, its remaining children are stopped in reverse order and stay
    /// stopped until a reset. Their `hostStatus` is `failed`, with a reason that says so.
    public struct AutoShutdown: Sendable, Hashable, CustomStringConvertible {
        /// The name of the condition, such as "never".
        public let description: String

        /// The group is never done.
        public static let never = AutoShutdown(description: "never")
        /// The group is done when the first child that may be done is done.
        public static let any = AutoShutdown(description: "any")
        /// The group is done when all children that may be done are done.
        public static let all = AutoShutdown(description: "all")
    }

    /// Whether the group must coordinate when its children start and end.
    var isCoordinated: Bool {
        strategy != .oneForOne || autoShutdown != .never || intensity != nil || !groups.isEmpty
    }
}

extension CoordinatorConfiguration {
    /// The maximum time that all workers need to leave when the coordinator stops. The top-level groups stop
    /// concurrently.
    var placementStopTimeout: Duration {
        groups.map { stopTimeout(of: $0) }.max().map { max($0, ownStopTimeout) } ?? ownStopTimeout
    }

    /// The maximum time that one worker needs to leave: the drain with its final cancellations, the end of the session,
    /// SIGTERM, and SIGKILL.
    var ownStopTimeout: Duration {
        drainTimeout + WorkerSupervisor.cancelTimeout * 2 + teardownTimeout * 2 + WorkerSupervisor.reapTimeout
    }

    /// The sum of the times of all children if they stop one after the other, otherwise the longest of them.
    private func stopTimeout(of group: WorkerGroup) -> Duration {
        var configuration = self
        configuration.drainTimeout = group.shutdownTimeout ?? drainTimeout
        let workers = group.workers == .onePerFeature ? group.features.count : 1
        let children =
            Array(repeating: configuration.ownStopTimeout, count: workers) + group.groups.map { stopTimeout(of: $0) }
        return group.strategy == .oneForOne ? children.max() ?? .zero : children.reduce(.zero, +)
    }
}
