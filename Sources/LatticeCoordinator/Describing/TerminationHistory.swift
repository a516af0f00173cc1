import DequeModule
import LatticeConcurrency
import LatticeCore

/// The last terminations of the workers of a coordinator, for people who ask later why a worker was restarted.
struct TerminationHistory: Sendable {
    /// A termination, with the time at which the coordinator noticed it.
    struct Entry: Sendable {
        let termination: RuntimeEvent.Termination
        let time: ContinuousClock.Instant
    }

    /// The maximum number of terminations of all workers. With the longest output they take 2 MiB.
    static let maximum = 256
    /// The maximum number of terminations of one worker, so that one that ends again and again does not push out those
    /// of all others.
    static let maximumPerWorker = 16
    /// The maximum number of lines of output that are kept of a termination, the last ones.
    static let maximumLines = 8

    /// The terminations, oldest first.
    private(set) var entries: Deque<Entry> = []

    /// Adds a termination, and drops the oldest one of the same worker, or of all workers, if there are too many.
    mutating func add(_ termination: RuntimeEvent.Termination, at time: ContinuousClock.Instant) {
        entries.append(Entry(termination: termination.shortened, time: time))
        let member = termination.worker.member
        if entries.count(where: { $0.termination.worker.member == member }) > Self.maximumPerWorker,
            let oldest = entries.firstIndex(where: { $0.termination.worker.member == member })
        {
            entries.remove(at: oldest)
        }
        if entries.count > Self.maximum { entries.removeFirst() }
    }
}

/// A ``TerminationHistory`` that listens to the runtime.
final class TerminationRecorder: Sendable {
    private let history = Locked(TerminationHistory())

    /// The terminations, oldest first.
    var entries: [TerminationHistory.Entry] { history.withLock { Array($0.entries) } }

    /// The observer to add to the configuration.
    var observer: RuntimeObserver {
        RuntimeObserver(of: [.workerTerminated]) { [self] event in
            guard case .workerTerminated(let termination) = event else { return }
            history.withLock { $0.add(termination, at: .now) }
        }
    }
}

extension RuntimeEvent.Termination {
    /// The same termination with the end of the output only.
    fileprivate var shortened: Self {
        guard let report, report.output.count > TerminationHistory.maximumLines else { return self }
        let short = CrashReport(
            group: report.group,
            incarnation: report.incarnation,
            processID: report.processID,
            lifetime: report.lifetime,
            output: Array(report.output.suffix(TerminationHistory.maximumLines)),
            turn: report.turn,
            events: report.events,
            effects: report.effects
        )
        return RuntimeEvent.Termination(worker: worker, cause: cause, verdict: verdict, report: short)
    }
}
