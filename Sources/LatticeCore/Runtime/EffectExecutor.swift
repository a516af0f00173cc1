import Dispatch
import LatticeConcurrency
import Synchronization

/// Runs effects, on the threads of the global executor, and keeps one of these awake for a while when it has run one:
/// the next often follows at once. See ``SpinWait``.
final class EffectExecutor: TaskExecutor, @unchecked Sendable {
    // Unchecked: `spinWait` belongs to the thread that has changed `watch` to `busy`, until that changes it again.

    static let shared = EffectExecutor()

    /// What the one thread does that may stay awake. Any other value is the job that it is to run next.
    private enum Watch {
        /// There is none; the next job makes its thread the one.
        static let none: UInt = 0
        /// It runs a job.
        static let busy: UInt = 1
        /// It looks out for a job.
        static let looking: UInt = 2
    }

    private let watch = Atomic<UInt>(Watch.none)
    private var spinWait = SpinWait()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let next = unsafeBitCast(job, to: UInt.self)
        if change(from: Watch.looking, to: next) { return }
        let isFirst = SpinWait.isPossible && change(from: Watch.none, to: Watch.busy)
        DispatchQueue.global(qos: job.priority.quality).async { [self] in
            if isFirst { keepWatch(job) } else { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func change(from expected: UInt, to desired: UInt) -> Bool {
        watch.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    private func keepWatch(_ first: UnownedJob) {
        var next: UnownedJob? = first
        while let job = next {
            job.runSynchronously(on: asUnownedTaskExecutor())
            next = lookOut()
        }
    }

    /// - Returns: the next job, or nil when this thread is no longer the one that stays awake.
    private func lookOut() -> UnownedJob? {
        guard spinWait.begins() else {
            watch.store(Watch.none, ordering: .releasing)
            return nil
        }
        watch.store(Watch.looking, ordering: .releasing)
        if !SpinWait.look(until: { watch.load(ordering: .relaxed) != Watch.looking }) {
            spinWait.record(wasWorthIt: false)
            if change(from: Watch.looking, to: Watch.none) { return nil }
        }
        let job = watch.exchange(Watch.busy, ordering: .acquiringAndReleasing)
        spinWait.record(wasWorthIt: true)
        return unsafeBitCast(job, to: UnownedJob.self)
    }
}

extension JobPriority {
    /// The queue that the global executor would use.
    fileprivate var quality: DispatchQoS.QoSClass {
        switch rawValue {
        case TaskPriority.high.rawValue...: .userInitiated
        case TaskPriority.medium.rawValue...: .default
        case TaskPriority.low.rawValue...: .utility
        default: .background
        }
    }
}

/// Runs what is resumed on the thread that resumes it, for the few steps until it changes to its actor.
///
/// A continuation resumes on the global executor, even that of a task on the main actor, which then changes there: two
/// changes of threads for one. With this as the preferred executor of a task that waits, only the second one is left.
/// No code but that of the wait itself may be under it: it would run on whatever thread completes the event.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}
