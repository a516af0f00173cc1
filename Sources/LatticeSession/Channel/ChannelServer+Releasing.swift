import LatticeConcurrency
import LatticeTransport
package import LatticeWire

/// What the host of a channel says, and what the other side is told of it.
extension ChannelServer {
    // MARK: What hosts say

    /// A running event has ended. For a host that releases at the end of a tick, on the event loop.
    package func complete(_ event: UInt64, _ outcome: WireOutcome) {
        if core.withLock({ $0.remove(event) }) { unreleased.complete(event, outcome) }
        outcomesInTick += 1
        noteActivity()
    }

    /// A running event has ended, and that may be told, with what is applied. For hosts that release at once, anywhere.
    package func completeAndRelease(_ event: UInt64, _ outcome: WireOutcome) {
        let telling = core.withLock { core in
            if core.remove(event) { core.state.complete(event, outcome) }
            core.state.release()
            return core.publish(as: self)
        }
        flushSoon(telling)
    }

    /// Something may have changed, or has to be told: there will be an end of the tick. On the event loop.
    package func noteActivity() {
        guard !isRegistered else { return }
        isRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// The state is the one that came with `open`. Before the answer, on the event loop.
    package func begin(with state: [UInt8]) {
        core.withLock { $0.log.begin(with: state) }
    }

    /// The same where nobody keeps its bytes.
    package func begin(bytes: Int, encodedBy encode: @escaping StateLog.Encode) {
        core.withLock { $0.log.begin(bytes: bytes, encodedBy: encode) }
    }

    /// The state that an encoding has just given, and all that happened so far, may be told. On the event loop.
    ///
    /// - Parameter state: Gets the bytes of the state before, whose memory may be used again, unless it is the same.
    package func release(_ state: inout [UInt8]) {
        core.withLock { core in
            _ = core.log.replace(by: &state)
            release(&core, revision: core.log.revision)
        }
    }

    /// What happened so far belongs to a state that is being encoded, and what happens from now on to a later one. On
    /// the event loop.
    package func mark() {
        unreleased.mark(applied: core.withLock(\.state.applied))
    }

    /// The marked state is encoded, and may be told with all that happened before the mark. On the event loop.
    ///
    /// - Parameter state: Gets the bytes of the state before, as above; nil: it is the same as that.
    package func releaseMarked(_ state: inout [UInt8]?) {
        core.withLock { core in
            if var bytes = state.take() {
                _ = core.log.replace(by: &bytes, isAnother: true)
                state = bytes
            }
            core.state.releaseMarked(&unreleased, revision: core.log.revision)
            releaseEffects(&core)
        }
    }

    /// The bytes of the newest state that was released, if they are there.
    package var releasedBytes: [UInt8] { core.withLock(\.log.presentBytes) }

    /// The state has changed, and that and all that happened so far may be told. On the event loop.
    ///
    /// - Parameters:
    ///   - change: What has changed since the last release, encoded; nil: that is not known, or the other side does not
    ///     take it.
    ///   - encode: Encodes the state that it is now; called when all of it is needed, on the event loop.
    package func release(change: [UInt8]?, encodedBy encode: @escaping StateLog.Encode) {
        core.withLock { core in
            core.log.change(by: core.state.takesPatches ? change : nil, encodedBy: encode)
            release(&core, revision: core.log.revision)
        }
    }

    /// All that happened so far may be told; the state is the one of the last release. On the event loop.
    package func releaseUnchanged() {
        core.withLock { release(&$0) }
    }

    /// Effects with names have begun and ended; told with the state that is released next, which is the one that they
    /// belong to. On the event loop.
    package func note(begun: [EffectsMessage.Effect], ended: [UInt64]) {
        unreleasedEffects = (begun, ended)
    }

    private func release(_ core: inout Core, revision: UInt64? = nil) {
        core.state.release(&unreleased, revision: revision)
        releaseEffects(&core)
    }

    private func releaseEffects(_ core: inout Core) {
        guard let (begun, ended) = unreleasedEffects else { return }
        unreleasedEffects = nil
        core.begunEffects += begun
        core.endedEffects += ended
    }

    /// The newest state of the log that this channel shows with others contains what was sent on up to `number`, and
    /// may be told. For hosts that release at once. Without writing. Any thread.
    ///
    /// - Parameter frames: The frames of that state, for this channel and others.
    /// - Returns: Whether something has to be written.
    package func release(_ frames: inout StateFrames?, throughForwarded number: UInt64) -> Bool {
        let telling = core.withLock { core in
            core.state.release(revision: frames?.revision, throughForwarded: number)
            return core.publish(as: self, &frames)
        }
        let session = finish(telling)
        return telling.isDue || session != nil
    }

    /// What is known of the events, and which of them run.
    package var remembered: (state: ChannelServerState, running: [UInt64]) {
        core.withLock { ($0.state, $0.running.keys.sorted()) }
    }

    /// Whether events run.
    package var hasRunning: Bool { core.withLock { !$0.running.isEmpty } }

    /// Whether a state was released.
    package var hasState: Bool { core.withLock { !$0.log.isEmpty } }

    /// The bytes of the newest state that was released, of a channel that shows it alone.
    ///
    /// - Throws: What its encoding throws.
    package func releasedState() throws -> [UInt8] {
        let answer = core.withLock { $0.log.answer(since: nil) }
        let offer =
            switch answer {
            case .ready(let offer): offer
            case .job(let job): try job.run()
            }
        if case .snapshot(let state) = offer.content { return state } else { return [] }
    }

    /// Whether the other side takes patches.
    package var takesPatches: Bool { core.withLock(\.state.takesPatches) }

    /// Whether a state would go out rather than wait behind an older one. If not, there will be an end of a tick once
    /// it would.
    package func hasRoom() -> Bool {
        core.withLock { $0.hasRoom(for: number) }
    }

    /// Whether all that was told is in the socket. If not, there will be an end of a tick once it is.
    package func hasWritten() -> Bool {
        session?.hasWritten(on: number) ?? false
    }

    /// Whether a released state waits for room.
    package var hasStateToTell: Bool { core.withLock(\.state.isDirty) }

    /// Calls `told` once nothing is left to be told on the present session: now, or later and on any thread. Not for a
    /// session that ends before. Any thread.
    package func whenTold(_ told: @escaping @Sendable () -> Void) {
        let isTold = core.withLock { core in
            if !core.isTold { core.onTold = told }
            return core.isTold
        }
        if isTold { told() }
    }

    /// Whether nothing runs, and nothing is left to be told. On the event loop.
    package var isIdle: Bool {
        core.withLock { core in
            if case .answering = core.link { return false }
            return core.running.isEmpty && unreleased.count == 0 && core.hasNothingToTell
        }
    }

    /// Cancels what runs now; each event still ends with its outcome.
    package func cancelRunning() {
        for running in core.withLock({ Array($0.running.values) }) { running.cancel() }
    }

    // MARK: Taking back

    /// The events that were applied since the last release are taken back, to be applied again or to fail: nobody has
    /// heard how they ended, or will. For hosts that release at the end of a tick, on the event loop.
    ///
    /// - Parameter events: Their numbers.
    /// - Returns: Those that ran, and the numbers of those that had ended cancelled. Rejected ones stay rejected.
    package func withdraw(_ events: [UInt64]) -> (running: [(UInt64, any RunningEvent)], cancelled: [UInt64]) {
        // Without a place among those that run, its end counts for nothing.
        let running = core.withLock { core in
            events.compactMap { event in core.running.removeValue(forKey: event).map { (event, $0) } }
        }
        return (running, unreleased.withdraw())
    }

    /// What was to end well and is unreleased has failed.
    package func failUnreleased(_ outcome: WireOutcome) {
        unreleased.fail(outcome)
    }

    /// An event that was taken back has been started once more.
    package func restart(_ event: UInt64, _ start: EventStart) {
        if case .running = start { core.withLock { $0.starting = event } }
        finish(start, event)
    }

    // MARK: Telling

    package func sessionDrained() {
        noteActivity()
    }

    package func tickEnded() {
        isRegistered = false
        let host = core.withLock(\.host)
        host?.release(self, atEndOfTick: true)
        publish()?.flush()
        host?.tickEnded(self)
    }

    /// - Returns: Where something has to be written.
    func publish() -> Session? {
        outcomesInTick = 0
        return finish(core.withLock { $0.publish(as: self) })
    }

    /// Does what is left to do before the rest can be told, and writes.
    func flushSoon(_ telling: Telling) {
        finish(telling)?.flushSoon()
    }

    /// Does what is left to do before the rest can be told.
    ///
    /// - Returns: Where something has to be written.
    private func finish(_ telling: Telling) -> Session? {
        guard telling.hasMore else { return telling.session }
        telling.told?()
        guard let job = telling.job else { return telling.session }
        guard telling.isInBackground else { return prepare(job) ?? telling.session }
        // Neither on the main actor nor on the thread of all channels.
        job.runInBackground { [self] in prepare(job)?.flushSoon() }
        return telling.session
    }

    private func prepare(_ job: StateJob) -> Session? {
        do {
            try job.run()
            return finish(core.withLock { $0.publish(as: self) })
        } catch {
            let reason = "the state cannot be sent: \(error)"
            eventLoop.execute { [self] in end(Closed(code: .failed, reason: reason)) }
            return nil
        }
    }
}
