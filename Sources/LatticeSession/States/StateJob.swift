import LatticeConcurrency

/// The work that is left before a state can be told: to encode it, or to fold what has changed. It may take long, so
/// nobody does it under another lock, nor on an event loop if it is large. It is done once, for all who need it.
package final class StateJob: Sendable {
    private enum Work: Sendable {
        case waiting(@Sendable () throws -> StateOffer)
        case done(Result<StateOffer, any Error>)
    }

    /// Whether it is nothing for an event loop.
    let isLarge: Bool
    /// Held during the work.
    private let work: Locked<Work>
    private let finished = Locked<StateOffer?>(nil)
    /// What is called when it is done that is being done in the background; nil: it is not.
    private let waiting = Locked<[@Sendable () -> Void]?>(nil)

    /// - Parameter bytes: How many bytes it reads or writes, as far as that is known.
    package init(bytes: Int? = nil, _ work: @escaping @Sendable () throws -> StateOffer) {
        isLarge = bytes ?? 0 >= CodingThreads.largeBytes
        self.work = Locked(.waiting(work))
    }

    /// What came of it; nil before, and if it failed.
    package var offer: StateOffer? { finished.withLock(\.self) }

    /// Does the work, or waits for who is at it.
    ///
    /// - Throws: What the work threw.
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

    /// Calls back on another thread when the work is done, or has failed. However many wait for it, one thread does it,
    /// and none stands still meanwhile.
    func runInBackground(_ done: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            let isFirst = waiting == nil
            // Where it is: a copy for each who waits would take the square of them.
            if isFirst { waiting = [] }
            waiting?.append(done)
            return isFirst
        }
        guard isFirst else { return }
        CodingThreads.run { [self] in
            // Whoever is called back gets the error.
            _ = try? run()
            for done in waiting.withLock({ $0.take() }) ?? [] { done() }
        }
    }
}
