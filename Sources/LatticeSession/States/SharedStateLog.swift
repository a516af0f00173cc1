import LatticeConcurrency

/// The ``StateLog`` of a state that many channels publish. You can use it on any thread.
package final class SharedStateLog: Sendable {
    private let log: Locked<StateLog>

    /// Creates a log without a state.
    package init(limits: ChannelLimits = ChannelLimits()) {
        log = Locked(StateLog(limits: limits))
    }

    /// The revision of the newest state, or 0 before the first one.
    package var revision: UInt64 { log.withLock(\.revision) }

    /// A Boolean value that indicates whether there is no state yet.
    package var isEmpty: Bool { log.withLock(\.isEmpty) }

    /// Replaces the state, unless the bytes are unchanged.
    package func replace(by state: [UInt8]) {
        var state = state
        // The variable outlives the lock, so that the previous bytes are freed outside it.
        log.withLock { _ = $0.replace(by: &state) }
    }

    /// Records that the state has changed.
    ///
    /// - Parameters:
    ///   - change: The encoded change. Nil if it cannot be sent, in which case the whole state is sent.
    ///   - encode: Encodes the present state. It is called on any thread, when the whole state is needed.
    package func change(by change: [UInt8]?, encodedBy encode: @escaping StateLog.Encode) {
        log.withLock { $0.change(by: change, encodedBy: encode) }
    }

    /// Raises the revision above this one.
    func skip(to revision: UInt64) {
        log.withLock { $0.skip(to: revision) }
    }

    /// Returns whether the changes since this revision are known.
    func knows(_ revision: UInt64) -> Bool {
        log.withLock { $0.knows(revision) }
    }

    /// Returns what can be sent to a peer that has the state with this revision.
    func answer(since base: UInt64?) -> StateLog.Answer {
        log.withLock { $0.answer(since: base) }
    }

    /// The frames of the newest state, which are passed from one channel to the next.
    package var frames: StateFrames {
        log.withLock { log in
            var frames = StateFrames(revision: log.revision)
            if log.revision > 0, case .ready(let offer) = log.answer(since: log.revision - 1) { frames.add(offer) }
            return frames
        }
    }
}
