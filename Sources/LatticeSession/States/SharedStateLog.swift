import LatticeConcurrency

/// A state that many channels tell of: a ``StateLog`` for all of them. Any thread.
package final class SharedStateLog: Sendable {
    private let log: Locked<StateLog>

    package init(limits: ChannelLimits = ChannelLimits()) {
        log = Locked(StateLog(limits: limits))
    }

    /// The number of the newest state; 0 before the first.
    package var revision: UInt64 { log.withLock(\.revision) }

    /// Whether there is no state yet.
    package var isEmpty: Bool { log.withLock(\.isEmpty) }

    /// There is another state, unless its bytes are those of the one before.
    package func replace(by state: [UInt8]) {
        var state = state
        // Kept beyond the lock: the bytes of the state before are let go of outside.
        log.withLock { _ = $0.replace(by: &state) }
    }

    /// The state has changed.
    ///
    /// - Parameters:
    ///   - change: What has changed, encoded; nil: that cannot be sent, and all of it is.
    ///   - encode: Encodes the state that it is now; called on any thread, when somebody needs all of it.
    package func change(by change: [UInt8]?, encodedBy encode: @escaping StateLog.Encode) {
        log.withLock { $0.change(by: change, encodedBy: encode) }
    }

    /// The numbers go on above this one.
    func skip(to revision: UInt64) {
        log.withLock { $0.skip(to: revision) }
    }

    func knows(_ revision: UInt64) -> Bool {
        log.withLock { $0.knows(revision) }
    }

    func answer(since base: UInt64?) -> StateLog.Answer {
        log.withLock { $0.answer(since: base) }
    }

    /// What the channels are told of the newest state, to be handed from one to the next.
    package var frames: StateFrames {
        log.withLock { log in
            var frames = StateFrames(revision: log.revision)
            if log.revision > 0, case .ready(let offer) = log.answer(since: log.revision - 1) { frames.add(offer) }
            return frames
        }
    }
}
