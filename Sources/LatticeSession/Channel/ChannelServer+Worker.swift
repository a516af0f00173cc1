import LatticeConcurrency
package import LatticeWire

/// A channel of a worker, whose host applies the events itself and releases the results at the end of a tick.
extension ChannelServer {
    // MARK: States

    /// Sets the initial state to the one that arrived with `open`. Must be called before `answer`.
    package func begin(with state: [UInt8]) {
        core.value.source.log.value.begin(with: state)
    }

    /// Sets the initial state to one whose bytes are not kept. Must be called before `answer`.
    ///
    /// - Parameters:
    ///   - bytes: The size of the encoded state in bytes.
    ///   - encode: Encodes the state when it is needed.
    package func begin(bytes: Int, encodedBy encode: @escaping StateLog.Encode) {
        core.value.source.log.value.begin(bytes: bytes, encodedBy: encode)
    }

    /// The revision of the newest state that was released.
    package var revision: UInt64 { core.value.source.log.value.revision }

    /// A Boolean value that indicates whether a state was released.
    package var hasState: Bool { !core.value.source.log.value.isEmpty }

    /// The bytes of the newest state that was released. Empty if the state is not encoded.
    package var releasedBytes: [UInt8] { core.value.source.log.value.presentBytes }

    /// Returns the bytes of the newest state that was released.
    ///
    /// - Throws: The error of the encoding.
    package func releasedState() throws -> [UInt8] {
        let offer =
            switch core.value.source.log.value.answer(since: nil) {
            case .ready(let offer): offer
            case .job(let job): try job.run()
            }
        if case .snapshot(let state) = offer.content { return state } else { return [] }
    }

    /// A Boolean value that indicates whether the peer accepts patches.
    package var takesPatches: Bool { core.value.state.takesPatches }

    // MARK: Releasing

    /// Returns the facts about the sender of an event, as the coordinator that opened the channel knows them. Returns
    /// nil for an event of the coordinator itself.
    package func sender(of origin: EventName.Origin) -> SenderFacts? {
        guard !core.value.origins.isOpener(origin) else { return nil }
        return core.value.origins.facts(about: origin) ?? SenderFacts(processID: nil, userID: nil, program: nil)
    }

    /// Keeps an event that was applied, with its action, until a state that contains it is released.
    package func keep(_ event: borrowing IncomingEvent) {
        core.value.ledger.add(event)
    }

    /// Notes that the feature has rejected an event, which is not kept.
    package func noteRejection() {
        core.value.ledger.noteRejection()
    }

    /// A Boolean value that indicates whether the state must be released, because no more events can be kept.
    package var isLedgerFull: Bool { core.value.ledger.isFull }

    /// Records the outcome of a running event, which is released with everything that has happened.
    package func complete(_ event: UInt64, _ outcome: WireOutcome) {
        if core.value.remove(event) { core.value.ledger.complete(event, outcome) }
        core.value.outcomesInTick += 1
        noteActivity()
    }

    /// Releases an encoded state with everything that happened so far.
    ///
    /// - Parameter state: The encoded state. If it differs from the previous one, the parameter receives the previous
    ///   bytes, so that their memory can be used again.
    package func release(_ state: inout [UInt8]) {
        _ = core.value.source.log.value.replace(by: &state)
        release(revision: revision)
    }

    /// Releases a changed state with everything that happened so far.
    ///
    /// - Parameters:
    ///   - change: The encoded change since the last release. Nil if it is unknown, or if the peer does not accept
    ///     patches.
    ///   - encode: Encodes the present state. It is called on the event loop when the whole state is needed.
    package func release(change: [UInt8]?, encodedBy encode: @escaping StateLog.Encode) {
        core.value.source.log.value.change(by: takesPatches ? change : nil, encodedBy: encode)
        release(revision: revision)
    }

    /// Releases everything that happened so far without a change of the state.
    package func releaseUnchanged() {
        release(revision: nil)
    }

    func release(revision: UInt64?) {
        send(core.value.state.release(&core.value.ledger, revision: revision))
    }

    /// Marks everything that happened so far as belonging to a state that is being encoded. Everything that happens
    /// from now on belongs to a later state.
    package func mark() {
        core.value.ledger.setMark(applied: core.value.state.applied)
    }

    /// Releases the marked state with everything that happened before the mark.
    ///
    /// - Parameter state: The encoded state, or nil if it equals the previous one. It receives the previous bytes, so
    ///   that their memory can be used again.
    package func releaseMarked(_ state: inout [UInt8]?) {
        if var bytes = state.take() {
            _ = core.value.source.log.value.replace(by: &bytes, isAnother: true)
            state = bytes
        }
        send(core.value.state.releaseMarked(&core.value.ledger, revision: revision))
    }

    /// Records which named effects have begun and ended. They belong to the state that is released next and are sent
    /// with it.
    package func note(_ effects: TurnLedger.Effects) {
        core.value.ledger.note(effects)
    }

    /// Adds named effects to those that are sent with the newest state.
    private func send(_ effects: TurnLedger.Effects?) {
        guard let effects else { return }
        core.value.begunEffects += effects.begun
        core.value.endedEffects += effects.ended
    }

    /// Returns whether everything that was published has been written to the socket. If not, the end of a tick is
    /// signalled when it has been written.
    package func hasWritten() -> Bool {
        core.value.session?.hasWritten(on: number) ?? false
    }

    // MARK: Withdrawing

    /// Withdraws the events that were applied since the last release. The host applies them again or lets them fail.
    /// Their outcomes were not sent and will not be sent.
    ///
    /// - Returns: The events, and those of them that were running, by their numbers.
    package func withdraw() -> (turns: WithdrawnTurns, running: [(UInt64, any RunningEvent)]) {
        let turns = core.value.ledger.withdraw()
        // An event that is removed from the running events can no longer be completed.
        let running = turns.events.compactMap { event in
            core.value.running.removeValue(forKey: event.number).map { (event.number, $0) }
        }
        return (turns, running)
    }

    /// Replaces the unreleased outcomes of events that finished successfully.
    package func failUnreleased(_ outcome: WireOutcome) {
        core.value.ledger.fail(outcome)
    }

    /// Records that an event that was withdrawn has been started again.
    package func restart(_ event: UInt64, _ start: EventStart) {
        if case .running = start { core.value.starting = event }
        finish(start, event)
    }
}
