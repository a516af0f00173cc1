import LatticeConcurrency
package import LatticeSession

/// Lets callers wait until the peer has opened a channel. It follows the changes of the channel.
package final class ChannelOpening: Sendable {
    private struct Core {
        var result = OneShot<Result<Void, any Error>>()
        var hasOpened = false

        mutating func renewIfComplete() {
            if result.isComplete { result = OneShot() }
        }
    }

    private let core = Locked(Core())

    package init() {}

    /// A Boolean value that indicates whether the peer has ever opened the channel.
    package var hasOpened: Bool { core.withLock(\.hasOpened) }

    /// Notes the changes of a channel, and resumes the callers that wait for one of them.
    package func note(_ changes: [ChannelUpdate.Change]) {
        for change in changes {
            switch change {
            case .interrupted, .host, .problem, .crashReport: break
            case .opened:
                let result = core.withLock { core in
                    core.hasOpened = true
                    return core.result
                }
                result.complete(.success(()))
            case .revived: core.withLock { $0.renewIfComplete() }
            case .closed(let end):
                let result = core.withLock { core in
                    core.renewIfComplete()
                    return core.result
                }
                result.complete(.failure(end))
            }
        }
    }

    /// The last change that callers wait for, or nil if there was none.
    package var change: ChannelUpdate.Change? {
        switch core.withLock(\.result).valueIfComplete {
        case .success: .opened
        case .failure(let end as ChannelEnd): .closed(end)
        case .failure, nil: nil
        }
    }

    /// Waits until the peer has opened the channel.
    ///
    /// - Parameter limit: The maximum time to wait, or nil to wait without a limit.
    /// - Returns: Whether the channel is open. False after the limit.
    /// - Throws: The `ChannelEnd` with the reason if the channel will not be opened, or `CancellationError`.
    package func wait(within limit: Duration?) async throws -> Bool {
        let result = core.withLock(\.result)
        guard let limit else {
            try await result.value.get()
            return true
        }
        return try await result.value(within: limit)?.get() != nil
    }
}
