import LatticeConcurrency

/// The work that is left before a state can be told: to encode it, or to fold what has changed. It may take long, so
/// nobody does it under another lock. It is done once, for all who need it.
package final class StateJob: Sendable {
    private enum Work: Sendable {
        case waiting(@Sendable () throws -> StateOffer)
        case done(Result<StateOffer, any Error>)
    }

    /// Held during the work.
    private let work: Locked<Work>
    private let finished = Locked<StateOffer?>(nil)

    package init(_ work: @escaping @Sendable () throws -> StateOffer) {
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
}
