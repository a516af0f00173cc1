import LatticeConcurrency

/// The work that remains before a state can be sent: encoding it, or merging its changes.
///
/// The work may take long, so it is never done under another lock, and a large job never runs on an event loop. It is
/// done once for all channels that need its result.
package final class StateJob: Sendable {
    private enum Work: Sendable {
        case waiting(@Sendable () throws -> StateOffer)
        case done(Result<StateOffer, any Error>)
    }

    /// Whether the job is too large for an event loop.
    let isLarge: Bool
    /// The work or its result. The lock is held during the work.
    private let work: Locked<Work>
    private let finished = Locked<StateOffer?>(nil)
    /// The closures to call when the job that runs in the background is done. Nil if no job runs in the background.
    private let waiting = Locked<[@Sendable () -> Void]?>(nil)

    /// Creates a job.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes that the work reads or writes, or nil if it is unknown.
    ///   - work: The work.
    package init(bytes: Int? = nil, _ work: @escaping @Sendable () throws -> StateOffer) {
        isLarge = bytes ?? 0 >= CodingThreads.largeBytes
        self.work = Locked(.waiting(work))
    }

    /// The result of the work. Nil until the work is done, and after an error.
    package var offer: StateOffer? { finished.withLock(\.self) }

    /// Does the work, or waits until another thread has done it.
    ///
    /// - Throws: The error of the work.
    @discardableResult
    package func run() throws -> StateOffer {
        let result = work.withLock { work in
            switch work {
            case .waiting(let make):
                let result = Result { try make() }
                finished.withLock { $0 = try? result.get() }
                work = .done(result)
                return result
            case .done(let result):
                return result
            }
        }
        return try result.get()
    }

    /// Does the work on another thread and calls `done` when it has finished or failed. One thread does the work for
    /// all callers, and no thread is blocked meanwhile.
    func runInBackground(_ done: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            let isFirst = waiting == nil
            // Appended in place. A copy for each caller would make the cost quadratic in the number of callers.
            if isFirst { waiting = [] }
            waiting?.append(done)
            return isFirst
        }
        guard isFirst else { return }
        CodingThreads.run { [self] in
            // Each callback calls `run` itself and receives the error.
            _ = try? run()
            for done in waiting.withLock({ $0.take() }) ?? [] { done() }
        }
    }
}
