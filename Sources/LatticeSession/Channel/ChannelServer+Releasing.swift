import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// The calls of a channel's host, and the publication of their results to the peer.
extension ChannelServer {
    /// The work that remains after a publication and must be done outside the lock.
    struct FollowUp {
        /// The rare parts. They are stored behind a reference, because passing all of them on for each state took 8 %
        /// of the main actor's CPU in `lattice-bench session --only deliveries`.
        private final class Rest: Sendable {
            let job: StateJob?
            let isInBackground: Bool
            let onPublished: (@Sendable () -> Void)?

            init(_ job: StateJob?, inBackground: Bool, _ onPublished: (@Sendable () -> Void)?) {
                (self.job, isInBackground, self.onPublished) = (job, inBackground, onPublished)
            }
        }

        /// Whether something must be written.
        var isDue = false
        /// The session in which something must be written, if the caller asked for it.
        var session: Session?
        private var rest: Rest?

        /// Whether there is more to do than to write.
        var hasMore: Bool { rest != nil }
        /// The job that must run before the state can be sent.
        var job: StateJob? { rest?.job }
        /// Whether the job runs on another thread, because the state is shared with other channels or is large.
        var isInBackground: Bool { rest?.isInBackground ?? false }
        /// The closure to call, because everything has been published.
        var onPublished: (@Sendable () -> Void)? { rest?.onPublished }

        /// Adds a job that must run before the state can be sent.
        mutating func prepare(_ job: StateJob, inBackground: Bool) {
            rest = Rest(job, inBackground: inBackground, onPublished)
        }

        /// Adds a closure to call.
        mutating func call(_ onPublished: @escaping @Sendable () -> Void) {
            rest = Rest(job, inBackground: isInBackground, onPublished)
        }
    }

    // MARK: Calls of the host

    /// Records the outcome of a running event. For a host that releases at the end of a tick. Call it on the event
    /// loop.
    package func complete(_ event: UInt64, _ outcome: WireOutcome) {
        if core.withLock({ $0.remove(event) }) { loopState.value.unreleased.complete(event, outcome) }
        loopState.value.outcomesInTick += 1
        noteActivity()
    }

    /// Records the outcome of a running event and releases it with everything that is applied. For hosts that release
    /// at once. You can call it on any thread.
    package func completeAndRelease(_ event: UInt64, _ outcome: WireOutcome) {
        let followUp = core.withLock { core in
            if core.remove(event) { core.state.complete(event, outcome) }
            core.state.release()
            return core.publish(as: self)
        }
        flushSoon(followUp)
    }

    /// Requests a call of `release` at the end of the tick, because something may have changed or must be sent. On the
    /// event loop.
    package func noteActivity() {
        guard !loopState.value.isRegistered else { return }
        loopState.value.isRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// Sets the initial state to the one that arrived with `open`. Must be called before `answer`. Call it on the event
    /// loop.
    package func begin(with state: [UInt8]) {
        core.withLock { $0.log.begin(with: state) }
    }

    /// Sets the initial state to one whose bytes are not kept. Must be called before `answer`. Call it on the event
    /// loop.
    ///
    /// - Parameters:
    ///   - bytes: The size of the encoded state in bytes.
    ///   - encode: Encodes the state when it is needed.
    package func begin(bytes: Int, encodedBy encode: @escaping StateLog.Encode) {
        core.withLock { $0.log.begin(bytes: bytes, encodedBy: encode) }
    }

    /// Releases an encoded state with everything that happened so far. Call it on the event loop.
    ///
    /// - Parameter state: The encoded state. If it differs from the previous one, the parameter receives the previous
    ///   bytes, so that their memory can be used again.
    package func release(_ state: inout [UInt8]) {
        core.withLock { core in
            _ = core.log.replace(by: &state)
            release(&core, revision: core.log.revision)
        }
    }

    /// The revision of the newest state that was released. You can read it on any thread.
    package var revision: UInt64 { core.withLock(\.log.revision) }

    /// Marks everything that happened so far as belonging to a state that is being encoded. Everything that happens
    /// from now on belongs to a later state. Call it on the event loop.
    package func mark() {
        loopState.value.unreleased.mark(applied: core.withLock(\.state.applied))
    }

    /// Releases the marked state with everything that happened before the mark. Call it on the event loop.
    ///
    /// - Parameter state: The encoded state, or nil if it equals the previous one. It receives the previous bytes, so
    ///   that their memory can be used again.
    package func releaseMarked(_ state: inout [UInt8]?) {
        core.withLock { core in
            if var bytes = state.take() {
                _ = core.log.replace(by: &bytes, isAnother: true)
                state = bytes
            }
            core.state.releaseMarked(&loopState.value.unreleased, revision: core.log.revision)
            releaseEffects(&core)
        }
    }

    /// The bytes of the newest state that was released. Empty if the state is not encoded.
    package var releasedBytes: [UInt8] { core.withLock(\.log.presentBytes) }

    /// Releases a changed state with everything that happened so far. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - change: The encoded change since the last release. Nil if it is unknown, or if the peer does not accept
    ///     patches.
    ///   - encode: Encodes the present state. It is called on the event loop when the whole state is needed.
    package func release(change: [UInt8]?, encodedBy encode: @escaping StateLog.Encode) {
        core.withLock { core in
            core.log.change(by: core.state.takesPatches ? change : nil, encodedBy: encode)
            release(&core, revision: core.log.revision)
        }
    }

    /// Releases everything that happened so far without a change of the state. Call it on the event loop.
    package func releaseUnchanged() {
        core.withLock { release(&$0) }
    }

    /// Records which named effects have begun and ended. They belong to the state that is released next and are sent
    /// with it. Call it on the event loop.
    package func note(begun: [EffectsMessage.Effect], ended: [UInt64]) {
        loopState.value.unreleasedEffects = (begun, ended)
    }

    private func release(_ core: inout Core, revision: UInt64? = nil) {
        core.state.release(&loopState.value.unreleased, revision: revision)
        releaseEffects(&core)
    }

    private func releaseEffects(_ core: inout Core) {
        guard let (begun, ended) = loopState.value.unreleasedEffects else { return }
        loopState.value.unreleasedEffects = nil
        core.begunEffects += begun
        core.endedEffects += ended
    }

    /// Releases the newest state of the log that this channel shares with others. The state contains the events that
    /// were forwarded up to `number`. You can call it on any thread.
    ///
    /// For hosts that release at once. The messages are added to the session without being written.
    ///
    /// - Parameters:
    ///   - frames: The frames of that state, which several channels share.
    ///   - number: The forwarded number up to which events are applied.
    /// - Returns: Whether something must be written.
    package func release(_ frames: inout StateFrames?, throughForwarded number: UInt64) -> Bool {
        let followUp = core.withLock { core in
            core.state.release(revision: frames?.revision, throughForwarded: number)
            return core.publish(as: self, &frames)
        }
        let session = finish(followUp)
        return followUp.isDue || session != nil
    }

    /// The state of the channel and the numbers of the running events, for a coordinator that stores them.
    package var remembered: (state: ChannelServerState, running: [UInt64]) {
        core.withLock { ($0.state, $0.running.keys.sorted()) }
    }

    /// A Boolean value that indicates whether events are running.
    package var hasRunning: Bool { core.withLock { !$0.running.isEmpty } }

    /// A Boolean value that indicates whether a state was released.
    package var hasState: Bool { core.withLock { !$0.log.isEmpty } }

    /// Returns the bytes of the newest state that was released. For a channel that does not share its state.
    ///
    /// - Throws: The error of the encoding.
    package func releasedState() throws -> [UInt8] {
        let answer = core.withLock { $0.log.answer(since: nil) }
        let offer =
            switch answer {
            case .ready(let offer): offer
            case .job(let job): try job.run()
            }
        if case .snapshot(let state) = offer.content { return state } else { return [] }
    }

    /// A Boolean value that indicates whether the peer accepts patches.
    package var takesPatches: Bool { core.withLock(\.state.takesPatches) }

    /// Returns whether a new state would be sent at once. If not, it waits behind an older one, and the end of a tick
    /// is signalled when there is room.
    package func hasRoom() -> Bool {
        core.withLock { $0.hasRoom(for: number) }
    }

    /// Returns whether everything that was published has been written to the socket. If not, the end of a tick is
    /// signalled when it has been written.
    package func hasWritten() -> Bool {
        session?.hasWritten(on: number) ?? false
    }

    /// A Boolean value that indicates whether a released state waits for room.
    package var hasUnsentState: Bool { core.withLock(\.state.isDirty) }

    /// Calls `onPublished` once everything has been published in the present session. The call happens now, or later on
    /// any thread. It does not happen if the session ends before. You can call it on any thread.
    package func whenPublished(_ onPublished: @escaping @Sendable () -> Void) {
        let isPublished = core.withLock { core in
            if !core.isPublished { core.onPublished = onPublished }
            return core.isPublished
        }
        if isPublished { onPublished() }
    }

    /// A Boolean value that indicates whether nothing runs and everything has been published. Read it on the event
    /// loop.
    package var isIdle: Bool {
        core.withLock { core in
            if case .answering = core.phase { return false }
            return core.running.isEmpty && loopState.value.unreleased.count == 0 && core.isFullyPublished
        }
    }

    /// Cancels all running events. Each event still ends with its outcome.
    package func cancelRunning() {
        for running in core.withLock({ Array($0.running.values) }) { running.cancel() }
    }

    // MARK: Withdrawing

    /// Withdraws the events that were applied since the last release. The host applies them again or lets them fail.
    /// Their outcomes were not sent and will not be sent. For hosts that release at the end of a tick. On the event
    /// loop.
    ///
    /// - Parameter events: The numbers of the events.
    /// - Returns: The events that were running, and the numbers of the events that had ended as cancelled. Rejected
    ///   events stay rejected.
    package func withdraw(_ events: [UInt64]) -> (running: [(UInt64, any RunningEvent)], cancelled: [UInt64]) {
        // An event that is removed from the running events can no longer be completed.
        let running = core.withLock { core in
            events.compactMap { event in core.running.removeValue(forKey: event).map { (event, $0) } }
        }
        return (running, loopState.value.unreleased.withdraw())
    }

    /// Replaces the unreleased outcomes of events that finished successfully.
    package func failUnreleased(_ outcome: WireOutcome) {
        loopState.value.unreleased.fail(outcome)
    }

    /// Records that an event that was withdrawn has been started again.
    package func restart(_ event: UInt64, _ start: EventStart) {
        if case .running = start { core.withLock { $0.starting = event } }
        finish(start, event)
    }

    // MARK: Publishing

    /// Requests a call of `release` at the end of the tick, because the session has room again.
    package func sessionDrained() {
        noteActivity()
    }

    /// Calls the host's `release`, and then publishes and writes everything that was released.
    package func tickEnded() {
        loopState.value.isRegistered = false
        let host = core.withLock(\.host)
        host?.release(self, atEndOfTick: true)
        publish()?.flush()
        host?.tickEnded(self)
    }

    /// Publishes everything that was released.
    ///
    /// - Returns: The session in which something must be written, or nil.
    func publish() -> Session? {
        loopState.value.outcomesInTick = 0
        return finish(core.withLock { $0.publish(as: self) })
    }

    /// Does the work that remains after a publication, and writes. You can call it on any thread.
    func flushSoon(_ followUp: FollowUp) {
        finish(followUp)?.flushSoon()
    }

    /// Does the work that remains after a publication.
    ///
    /// - Returns: The session in which something must be written, or nil.
    private func finish(_ followUp: FollowUp) -> Session? {
        guard followUp.hasMore else { return followUp.session }
        followUp.onPublished?()
        guard let job = followUp.job else { return followUp.session }
        guard followUp.isInBackground else { return prepare(job) ?? followUp.session }
        // The job runs neither on the main actor nor on the thread of all channels.
        job.runInBackground { [self] in prepare(job)?.flushSoon() }
        return followUp.session
    }

    /// Prepares a state and publishes it. If that fails, the channel is closed.
    private func prepare(_ job: StateJob) -> Session? {
        do {
            try job.run()
            return finish(core.withLock { $0.publish(as: self) })
        } catch {
            let reason = "The state cannot be sent: \(error)"
            eventLoop.execute { [self] in
                // While the job ran, the client may have opened the channel again.
                guard core.withLock({ $0.preparing?.job === job }) else { return }
                endUnsendable(Closed(code: .failed, reason: reason))
            }
            return nil
        }
    }
}
