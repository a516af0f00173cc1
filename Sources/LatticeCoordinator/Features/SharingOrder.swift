import LatticeConcurrency
import LatticeSession
import LatticeTransport

/// The owner of a ``SharingQueue``, which runs its operations.
///
/// The view state and the events of its clients share this object instead of referring to each other. A cycle between
/// them would need a weak reference, and retaining an object to which there is a weak reference takes several times as
/// long.
final class SharingOrder: Sendable {
    private let queue = Locked(SharingQueue())
    private let eventLoop: any EventLoop

    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// A Boolean value that indicates whether no operation is running or waiting.
    var isFree: Bool { !queue.withLock(\.isBusy) }

    /// Begins an operation on the caller if none is running. The caller ends it with ``end()``.
    ///
    /// - Returns: A Boolean value that indicates whether the operation has begun.
    func begin() -> Bool { queue.withLock { $0.begin() } }

    /// Ends the operation of the caller. Those that waited for it run now, on the event loop or on a coding thread.
    func end() { work() }

    /// Performs an operation after the earlier ones. If there are none, a short one is performed by the caller.
    ///
    /// - Parameters:
    ///   - isLong: A Boolean value that indicates whether the operation takes long and runs on a coding thread.
    ///   - job: The operation.
    func perform(isLong: Bool = false, _ job: @escaping SharingQueue.Job) {
        if queue.withLock({ $0.perform(isLong: isLong, job) }) { run(isLong: isLong, job) }
    }

    /// Shows a view state after the earlier operations. If a newer one is added before, it takes the place of this one.
    func show(isLong: Bool, _ job: @escaping SharingQueue.Job) {
        if queue.withLock({ $0.show(isLong: isLong, job) }) { run(isLong: isLong, job) }
    }

    private func run(isLong: Bool, _ job: @escaping SharingQueue.Job) {
        guard isLong else {
            job()
            return work()
        }
        CodingThreads.run { [self] in
            job()
            work()
        }
    }

    /// Performs the operations that wait: long ones on a coding thread, and the others on the event loop.
    private func work() {
        while let works = queue.withLock({ $0.next() }) {
            let isLong = works.contains(where: \.isLong)
            guard isLong || !eventLoop.isCurrent else {
                for work in works { work.job() }
                continue
            }
            let job: SharingQueue.Job = { [self] in
                for work in works { work.job() }
                work()
            }
            // The thread is given back each time, so that a feature with a slow reducer leaves it to other features.
            if isLong { return CodingThreads.run(job) }
            // The caller may be the main actor, which does not work for clients.
            return eventLoop.execute(job)
        }
    }
}
