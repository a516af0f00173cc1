package import LatticeConcurrency
package import LatticeTransport

/// The ``StateLog`` from which channels publish a state: one channel of a worker, or the channels of all clients that
/// share a view state. It belongs to the event loop.
package final class StateSource: Sendable {
    /// A Boolean value that indicates whether several channels publish the state.
    let isShared: Bool
    private let eventLoop: any EventLoop
    /// The log of the state.
    package let log: LoopBound<StateLog>
    /// The jobs that run on coding threads, with the channels that wait for them.
    private let running: LoopBound<[(job: StateJob, channels: [ChannelServer])]>

    /// The maximum number of channels that publish the result of a job in one tick. Each may copy a large state.
    private static let channelsPerTick = 64

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
        self.eventLoop = eventLoop
        running = LoopBound([], to: eventLoop.thread)
        log = LoopBound(StateLog(revision: revision, limits: limits), to: eventLoop.thread)
    }

    /// Replaces the state, unless the bytes are unchanged.
    package func replace(by state: [UInt8]) {
        var state = state
        _ = log.value.replace(by: &state)
    }

    /// Runs a job on a coding thread, once for all channels that need its result. Each channel then publishes.
    func run(_ job: StateJob, for channel: ChannelServer) {
        if let index = running.value.firstIndex(where: { $0.job === job }) {
            return running.value[index].channels.append(channel)
        }
        running.value.append((job, [channel]))
        CodingThreads.run { [self] in
            // Each channel calls `run` itself and receives the error.
            let revision = try? job.run().revision
            eventLoop.execute { [self] in
                guard let index = running.value.firstIndex(where: { $0.job === job }) else { return }
                let channels = running.value.remove(at: index).channels
                publish(job, on: channels[...], revision.map { StateFrames(of: self, revision: $0) })
            }
        }
    }

    private func publish(_ job: StateJob, on channels: ArraySlice<ChannelServer>, _ frames: StateFrames?) {
        var frames = frames
        for channel in channels.prefix(Self.channelsPerTick) { channel.publish(job, &frames) }
        let rest = channels.dropFirst(Self.channelsPerTick)
        guard !rest.isEmpty else { return }
        eventLoop.execute { [self, frames] in publish(job, on: rest, frames) }
    }

    /// The frames of the newest state, which are passed from one channel to the next.
    package var frames: StateFrames {
        let revision = log.value.revision
        var frames = StateFrames(of: self, revision: revision)
        if revision > 0, case .ready(let offer) = log.value.answer(since: revision - 1) { frames.add(offer) }
        return frames
    }
}
