import LatticeConcurrency
import Synchronization

/// Detects effects that get no thread because others occupy all of them.
///
/// It is polled from time to time and has no timer of its own. If effects wait while others start, there is merely much
/// to do. If effects wait and none starts, there is a problem.
package struct EffectWatch: Sendable {
    /// The time without any start after which a problem is reported. A computation may well take some seconds.
    package static let stallTimeout: Duration = .seconds(5)

    /// The effects that wait for threads of one kind.
    struct Queue: Sendable {
        /// The name of the effects, in the plural.
        let name: String
        /// Returns whether something is waiting, and the number of starts so far.
        let progress: @Sendable () -> (isWaiting: Bool, begun: UInt64)
        /// Measures the time without a start. It is nil if nothing is waiting.
        private var stall: StallDetector?

        init(_ name: String, progress: @escaping @Sendable () -> (isWaiting: Bool, begun: UInt64)) {
            self.name = name
            self.progress = progress
        }

        /// - Returns: The time for which something has waited while nothing started, as observed by the checks.
        fileprivate mutating func check(_ now: ContinuousClock.Instant) -> Duration {
            let (isWaiting, begun) = progress()
            guard isWaiting else {
                stall = nil
                return .zero
            }
            var stall = stall ?? StallDetector(at: begun, since: now)
            defer { self.stall = stall }
            return stall.look(at: begun, now: now)
        }
    }

    private var queues: [Queue]

    /// Creates a watch for the effects of this process.
    package init() {
        let probe = SwiftThreadProbe()
        self.init(of: [
            Queue("effects") { ThreadPool.shared.progress },
            Queue("effects that compute") { ThreadPool.computing.progress },
            Queue("effects that block") { ThreadPool.blocking.progress },
            Queue("tasks that effects have started") { probe.ask() },
        ])
    }

    init(of queues: [Queue]) {
        self.queues = queues
    }

    /// Checks the queues.
    /// - Returns: A sentence that says which effects get no thread, or nil if there is no problem. The sentence stays
    ///   the same as long as the problem does.
    package mutating func problem(at now: ContinuousClock.Instant) -> String? {
        let starving = queues.indices.filter { queues[$0].check(now) >= Self.stallTimeout }.map { queues[$0].name }
        guard !starving.isEmpty else { return nil }
        return "\(starving.joined(separator: " and ")) wait for a thread, and none has started for "
            + "\(Self.stallTimeout.components.seconds) seconds because others occupy all threads"
    }
}

/// Determines whether a new task gets one of Swift's own threads, of which there is one per core.
private final class SwiftThreadProbe: Sendable {
    private let sent = Atomic<UInt64>(0)
    private let begun = Atomic<UInt64>(0)
    /// The number of jobs of effects that had started at the last check.
    private let seen = Atomic<UInt64>(0)

    /// Starts a task, unless the previous one is still waiting. Only one thread may call it.
    func ask() -> (isWaiting: Bool, begun: UInt64) {
        let begun = begun.load(ordering: .relaxed)
        let sent = sent.load(ordering: .relaxed)
        if isNeeded(), sent == begun { send(sent + 1) }
        return (sent != begun, begun)
    }

    /// Starts a task from a separate thread. If the system has no thread for Swift, the caller that starts a task waits
    /// for one.
    private func send(_ number: UInt64) {
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: "lattice-probe", isBrief: true) {
                Task.detached { self.begun.store(number, ordering: .relaxed) }
            }
            sent.store(number, ordering: .relaxed)
        } catch {
            // The next check tries again.
        }
    }

    /// Returns whether effects run or have run since the last check. In a worker only effects start tasks, so there is
    /// nothing to probe otherwise.
    private func isNeeded() -> Bool {
        let pools = [ThreadPool.shared, .computing, .blocking]
        let jobs = pools.reduce(0) { $0 &+ $1.progress.begun }
        return seen.exchange(jobs, ordering: .relaxed) != jobs || pools.contains(where: \.isBusy)
    }
}
