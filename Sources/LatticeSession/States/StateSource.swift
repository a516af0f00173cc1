import LatticeConcurrency
package import LatticeTransport

/// The ``StateLog`` from which channels publish a state: one channel of a worker, or the channels of all clients that
/// share a view state. It belongs to the event loop.
package final class StateSource: Sendable {
    /// A Boolean value that indicates whether several channels publish the state.
    let isShared: Bool
    private let log: LoopBound<StateLog>

    /// Creates a source without a state.
    ///
    /// - Parameters:
    ///   - revision: The revision before that of the first state.
    ///   - eventLoop: The event loop of the channels.
    ///   - limits: The limits on the changes that are kept.
    ///   - isShared: Whether several channels publish the state.
    package init(
        revision: UInt64 = 0,
        on eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits(),
        isShared: Bool = true
    ) {
        self.isShared = isShared
        log = LoopBound(StateLog(revision: revision, limits: limits), to: eventLoop.thread)
    }

    /// The log, which you can read and change on the event loop.
    package var value: StateLog {
        _read { yield log.value }
        _modify { yield &log.value }
    }

    /// Replaces the state, unless the bytes are unchanged.
    package func replace(by state: [UInt8]) {
        var state = state
        _ = log.value.replace(by: &state)
    }

    /// The frames of the newest state, which are passed from one channel to the next.
    package var frames: StateFrames {
        let revision = log.value.revision
        var frames = StateFrames(revision: revision)
        if revision > 0, case .ready(let offer) = log.value.answer(since: revision - 1) { frames.add(offer) }
        return frames
    }
}
