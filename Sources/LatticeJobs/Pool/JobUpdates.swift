import LatticeConcurrency

/// The newest status of a job. A status that a reader has not seen is replaced by a later one.
final class JobStatusBox: Sendable {
    private struct State {
        var status = JobStatus()
        var version: UInt64 = 1
        /// Completed with the next version, if a reader waits for it.
        var change: OneShot<Void>?
    }

    private let state = Locked(State())

    var status: JobStatus { state.withLock(\.status) }

    /// Changes the status.
    ///
    /// - Returns: What readers wait for, to be completed outside of locks.
    func update(_ change: (inout JobStatus) -> Void) -> OneShot<Void>? {
        state.withLock { state in
            change(&state.status)
            state.version += 1
            return state.change.take()
        }
    }

    /// Returns the status if its version differs from the known one, or else what to wait for.
    func newer(than known: UInt64) -> (status: JobStatus, version: UInt64)? {
        state.withLock { $0.version == known ? nil : ($0.status, $0.version) }
    }

    func waitForChange(of known: UInt64) async {
        let change = state.withLock { state -> OneShot<Void>? in
            guard state.version == known else { return nil }
            let change = state.change ?? OneShot()
            state.change = change
            return change
        }
        await change?.wait()
    }
}

/// The status of a job as a sequence: the present status first, then each newer one.
///
/// A slow reader gets the newest status and misses those between. The sequence ends after the status that says that the
/// job succeeded or failed, and when the reading task is cancelled. Any number of tasks can read it.
public struct JobUpdates: AsyncSequence, Sendable {
    let box: JobStatusBox

    /// Returns an iterator that begins with the present status.
    public func makeAsyncIterator() -> Iterator { Iterator(box: box) }

    /// An iterator over the status of a job.
    public struct Iterator: AsyncIteratorProtocol {
        let box: JobStatusBox
        private var known: UInt64 = 0
        private var isOver = false

        init(box: JobStatusBox) {
            self.box = box
        }

        /// Waits for a status that is newer than the last one. Returns nil after the last status, or if the task is
        /// cancelled.
        public mutating func next() async -> JobStatus? {
            while !isOver, !Task.isCancelled {
                if let (status, version) = box.newer(than: known) {
                    known = version
                    isOver = status.isFinal
                    return status
                }
                await box.waitForChange(of: known)
            }
            return nil
        }
    }
}

extension JobStatus {
    /// Whether the job has ended.
    var isFinal: Bool { phase == .succeeded || phase == .failed }
}
