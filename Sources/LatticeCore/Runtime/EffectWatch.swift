import LatticeConcurrency
import Synchronization

/// Finds effects that get no thread, since others keep all of them.
///
/// It is asked from time to time, and has no time of its own. What waits while others begin only has much before it;
/// what waits while none begins is a problem.
package struct EffectWatch: Sendable {
    /// For how long none begins until that is told: a computation may well take some seconds.
    package static let limit: Duration = .seconds(5)

    /// What waits for threads of one kind.
    struct Queue: Sendable {
        /// In plural.
        let name: String
        /// Whether something waits now, and how much has ever begun.
        let progress: @Sendable () -> (isWaiting: Bool, begun: UInt64)
        /// Since something waits.
        private var standstill: StallDetector?

        init(_ name: String, progress: @escaping @Sendable () -> (isWaiting: Bool, begun: UInt64)) {
            self.name = name
            self.progress = progress
        }

        /// - Returns: For how long something waits and nothing begins, as far as looks tell.
        fileprivate mutating func look(_ now: ContinuousClock.Instant) -> Duration {
            let (isWaiting, begun) = progress()
            guard isWaiting else {
                standstill = nil
                return .zero
            }
            var standstill = standstill ?? StallDetector(at: begun, since: now)
            defer { self.standstill = standstill }
            return standstill.look(at: begun, now: now)
        }
    }

    private var queues: [Queue]

    /// Of the effects of this process.
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

    /// - Returns: Which effects get no thread, in a sentence that stays the same for as long as that is so; nil: none.
    package mutating func problem(at now: ContinuousClock.Instant) -> String? {
        let starving = queues.indices.filter { queues[$0].look(now) >= Self.limit }.map { queues[$0].name }
        guard !starving.isEmpty else { return nil }
        return "\(starving.joined(separator: " and ")) wait for a thread, and none has got one for "
            + "\(Self.limit.components.seconds) seconds: others keep them all"
    }
}

/// Tells whether a task gets one of Swift's own threads, of which there are as many as cores.
private final class SwiftThreadProbe: Sendable {
    private let sent = Atomic<UInt64>(0)
    private let begun = Atomic<UInt64>(0)
    /// How many jobs of effects had begun at the last look.
    private let seen = Atomic<UInt64>(0)

    /// Starts a task, unless the one before still waits. By one thread.
    func ask() -> (isWaiting: Bool, begun: UInt64) {
        let begun = begun.load(ordering: .relaxed)
        let sent = sent.load(ordering: .relaxed)
        if isOfUse(), sent == begun { send(sent + 1) }
        return (sent != begun, begun)
    }

    /// By a thread of its own: where the system has none for Swift, whoever starts a task waits for one.
    private func send(_ number: UInt64) {
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: "lattice-probe", isBrief: true) {
                Task.detached { self.begun.store(number, ordering: .relaxed) }
            }
            sent.store(number, ordering: .relaxed)
        } catch {
            // The next time.
        }
    }

    /// Effects are what starts tasks in a worker: one in which none runs and none has run is not disturbed.
    private func isOfUse() -> Bool {
        let pools = [ThreadPool.shared, .computing, .blocking]
        let jobs = pools.reduce(0) { $0 &+ $1.progress.begun }
        return seen.exchange(jobs, ordering: .relaxed) != jobs || pools.contains(where: \.isBusy)
    }
}
