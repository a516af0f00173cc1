import DequeModule
import LatticeConcurrency

/// The work that other threads pass to a reactor, and the phase of its thread. The reactor's lock protects it.
struct ReactorInbox {
    enum Entry: Sendable {
        case job(UnownedJob)
        /// A job of a task that prefers this executor.
        case taskJob(UnownedJob, any TaskExecutor)
        case work(@Sendable () -> Void)
    }

    enum Phase {
        /// The thread is busy, and checks the entries before it waits.
        case running
        /// The thread waits or is about to wait. The next entry has to wake it.
        case waiting
        /// The thread has ended. Later entries get a thread of their own, so that no caller waits forever.
        case ended
    }

    /// The action that a caller has to take after it added an entry and released the lock.
    enum Consequence {
        case nothing
        case wake
        case startThread
    }

    /// The next step of the thread.
    enum Step {
        case wait
        case proceed
        case closeRegistrants
        /// Callers that wait for the end have waited long enough, although there is work left.
        case notifyEnd
        case end
    }

    /// The number of ticks after `stop` in which all work is done that does not create new work without end.
    private static let ticksBeforeEnd = 64

    /// The number of entries above which their memory is released.
    private static let keptEntries = 4096

    private(set) var phase = Phase.running
    private var entries = Deque<Entry>()
    private var lastTaken = 0
    private var isStopRequested = false
    private var areRegistrantsClosed = false
    private var ticksSinceStop = 0
    private var waiters = Waiters<Void>()

    mutating func add(_ entry: Entry) -> Consequence {
        entries.append(entry)
        return ensureRunning()
    }

    /// Adds an entry that is not worth waking the thread for. Returns whether it was added.
    mutating func addIfRunning(_ entry: Entry) -> Bool {
        guard phase == .running else { return false }
        entries.append(entry)
        return true
    }

    mutating func requestStop() -> Consequence {
        isStopRequested = true
        return phase == .ended ? .nothing : ensureRunning()
    }

    /// Makes sure that the thread handles the entries. Only the first entry of a burst has to wake it, because the
    /// phase is not `waiting` after that.
    private mutating func ensureRunning() -> Consequence {
        defer { phase = .running }
        switch phase {
        case .running: return .nothing
        case .waiting: return .wake
        case .ended: return .startThread
        }
    }

    mutating func threadDidNotStart() {
        phase = .ended
    }

    mutating func didWake() {
        phase = .running
    }

    /// Takes all entries.
    ///
    /// - Parameter batch: An empty queue, whose memory is used for the next entries.
    mutating func takeEntries(into batch: inout Deque<Entry>) {
        // A spinning thread calls this in each round. Usually there are no entries, and no memory to release.
        guard !entries.isEmpty || lastTaken > 0 else { return }
        if lastTaken > Self.keptEntries { batch = Deque() }
        lastTaken = entries.count
        swap(&entries, &batch)
    }

    /// Returns the next step of the thread.
    ///
    /// - Parameter isIdle: Whether the thread itself has no work left.
    mutating func nextStep(isIdle: Bool) -> Step {
        if isStopRequested, !areRegistrantsClosed {
            areRegistrantsClosed = true
            return .closeRegistrants
        }
        guard isIdle, entries.isEmpty else {
            if areRegistrantsClosed, ticksSinceStop < Self.ticksBeforeEnd {
                ticksSinceStop += 1
                if ticksSinceStop == Self.ticksBeforeEnd { return .notifyEnd }
            }
            return .proceed
        }
        guard isStopRequested else {
            phase = .waiting
            return .wait
        }
        phase = .ended
        return .end
    }

    mutating func takeWaiters() -> Waiters<Void> {
        waiters.takeAll()
    }

    /// Adds a caller that waits for the end.
    ///
    /// - Returns: Whether the caller will be resumed at the end; false if that has passed.
    mutating func addWaiter(_ waiter: Waiters<Void>.Continuation) -> Bool {
        guard phase != .ended, ticksSinceStop < Self.ticksBeforeEnd else { return false }
        waiters.add(waiter)
        return true
    }
}
