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
}
