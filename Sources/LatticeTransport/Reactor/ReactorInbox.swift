import DequeModule
import LatticeConcurrency

/// What other threads hand to a reactor, and how far its thread is. Guarded by the reactor's lock.
struct ReactorInbox {
    enum Entry: Sendable {
        case job(UnownedJob)
        /// Of a task that prefers this executor.
        case taskJob(UnownedJob, any TaskExecutor)
        case work(@Sendable () -> Void)
    }

    enum Phase {
        /// The thread is busy and looks at the entries before it waits.
        case running
        /// The thread waits, or is about to: the next entry has to wake it.
        case waiting
        /// The thread has ended. Entries that come late get one of their own, so that nobody waits for ever.
        case ended
    }

    /// What whoever added an entry has to do, after leaving the lock.
    enum Consequence {
        case nothing
        case wake
        case startThread
    }

    /// What the thread does next.
    enum Step {
        case wait
        case goOn
        case closeRegistrants
        /// Those who wait for the end need not wait any longer, although there is work left.
        case notifyEnd
        case end
    }

    /// In so many ticks after `stop` all work is done that does not make new work without end.
    private static let ticksBeforeEnd = 64

    /// After more at once their memory is given back.
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
        return rouse()
    }

    /// Adds an entry that is not worth waking the thread for. Answers whether it was added.
    mutating func addIfRunning(_ entry: Entry) -> Bool {
        guard phase == .running else { return false }
        entries.append(entry)
        return true
    }

    mutating func requestStop() -> Consequence {
        isStopRequested = true
        return phase == .ended ? .nothing : rouse()
    }

    /// Only the first of a burst has to wake: after it the phase is no longer `waiting`.
    private mutating func rouse() -> Consequence {
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

    /// - Parameter batch: Empty; its memory is for the entries to come.
    mutating func takeEntries(into batch: inout Deque<Entry>) {
        // Asked in each look of a thread that spins: mostly there is nothing, and nothing to give back.
        guard !entries.isEmpty || lastTaken > 0 else { return }
        if lastTaken > Self.keptEntries { batch = Deque() }
        lastTaken = entries.count
        swap(&entries, &batch)
    }

    /// - Parameter isIdle: whether the thread itself has nothing left to do.
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
            return .goOn
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

    /// - Returns: Whether the caller will be resumed at the end; false if that has passed.
    mutating func addWaiter(_ waiter: Waiters<Void>.Continuation) -> Bool {
        guard phase != .ended, ticksSinceStop < Self.ticksBeforeEnd else { return false }
        waiters.add(waiter)
        return true
    }
}
