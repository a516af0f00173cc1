import LatticeConcurrency
import LatticeSession

/// The owner of a ``SharingQueue``, which runs its operations.
///
/// The view state and the events of its clients share this object instead of referring to each other. A cycle between
/// them would need a weak reference, and retaining an object to which there is a weak reference takes several times as
/// long.
final class SharingOrder: Sendable {
    private let queue = Locked(SharingQueue())

    /// A Boolean value that indicates whether no view state is being published and no operation waits.
    var isFree: Bool { !queue.withLock(\.isBusy) }

    /// Runs a job after the view states that were published so far. If there are none, it runs now.
    func perform(_ job: @escaping SharingQueue.Job) {
        if queue.withLock({ $0.perform(job) }) { job() }
    }

    /// Runs a job that publishes a view state, and then the operations that waited for it.
    ///
    /// - Parameters:
    ///   - inBackground: A Boolean value that indicates whether the job takes long and runs on a coding thread.
    ///   - job: The job. If a newer one is added before it has run, it never runs.
    func show(inBackground: Bool, _ job: @escaping SharingQueue.Job) {
        guard queue.withLock({ $0.show(job) }) else { return }
        if inBackground { CodingThreads.run { [self] in work(job) } } else { work(job) }
    }

    private func work(_ first: SharingQueue.Job) {
        first()
        while let jobs = queue.withLock({ $0.next() }) {
            for job in jobs { job() }
        }
    }
}
