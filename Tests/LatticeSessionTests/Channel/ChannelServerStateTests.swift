import LatticeCoding
import LatticeWire
import Testing

@testable import LatticeSession

struct ChannelServerStateTests {
    private typealias State = ChannelServerState

    @Test("Events are applied once and in order (F38, F39)") func eventsAreAppliedOnceAndInOrder() {
        var server = State(revision: 5, applied: 2)
        #expect(server.receive(event: 2) == .duplicate)
        #expect(server.receive(event: 3) == .apply)
        #expect(server.receive(event: 3) == .duplicate)
        // Numbers of events that were cancelled before they left are missing.
        #expect(server.receive(event: 6) == .apply)
        #expect(server.receive(event: 5) == .duplicate)
        #expect(server.received == 6)
    }

    @Test func nothingIsDueBeforeSomethingHappened() {
        var server = State(revision: 5, applied: 2)
        #expect(server.takePublished() == "")
        #expect(!server.isDirty)
    }

    @Test func nothingIsPublishedBeforeItsRelease() throws {
        var server = State(revision: 5, applied: 2)
        var ledger = TurnLedger(released: 2)
        _ = server.receive(event: 3)
        ledger.complete(3, .finished)
        _ = server.receive(event: 4)
        ledger.complete(4, .cancelled)
        #expect(server.takePublished() == "")
        // Cancels pass meanwhile.
        let isHere = try server.cancel(event: 4)
        #expect(isHere)
        _ = server.release(&ledger, revision: server.revision + 1)
        #expect(server.takePublished() == "state 6 with 4; 3-3 finished, 4-4 cancelled")
        #expect(server.takePublished() == "")
    }

    @Test("The lag is the number of states that were released and were not sent") func lag() {
        var server = State(revision: 5, applied: 2)
        #expect(server.lag == 0)
        for revision in 6...8 as ClosedRange<UInt64> { server.release(revision: revision) }
        #expect(server.lag == 3)
        _ = server.takePublished()
        #expect(server.lag == 0)
    }

    @Test("Outcomes during the encoding of a state are released with a later state") func marks() {
        var server = State(revision: 5, applied: 2)
        var ledger = TurnLedger(released: 2)
        _ = server.receive(event: 3)
        ledger.complete(3, .finished)
        ledger.setMark(applied: server.applied)
        _ = server.receive(event: 4)
        // Not joined to the one before, although both ended well.
        ledger.complete(4, .finished)
        _ = server.releaseMarked(&ledger, revision: 6)
        #expect(server.takePublished() == "state 6 with 3; 3-3 finished")
        _ = server.release(&ledger, revision: 7)
        #expect(server.takePublished() == "state 7 with 4; 4-4 finished")
        // Nothing is published of a state that cannot be sent.
        _ = server.receive(event: 5)
        ledger.apply(5)
        ledger.complete(5, .cancelled)
        ledger.setMark(applied: server.applied)
        #expect(ledger.withdraw().cancelled.keys.sorted() == [5])
        _ = server.releaseMarked(&ledger, revision: 8)
        #expect(server.takePublished() == "")
    }

    @Test func theNewestOfSeveralReleasedStatesIsPublished() {
        var server = State(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.release(revision: server.revision + 1)
        server.release(revision: server.revision + 1)
        #expect(server.isDirty)
        #expect(server.takePublished() == "state 7 with 3")
        #expect(server.takePublished() == "")
    }

    @Test func aStateWithoutRoomWaitsAndItsOutcomesDoNot() {
        var server = State(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.release(revision: server.revision + 1)
        server.complete(3, .finished)
        #expect(server.takePublished(canSendState: false) == "3-3 finished")
        #expect(server.takePublished() == "state 6 with 3")
    }

    @Test func anEventThatChangedNothingIsAcknowledged() {
        var server = State(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.release()
        #expect(server.takePublished() == "acknowledged 3 in 5")
        #expect(server.takePublished() == "")
    }

    @Test func aCompletionStandsForTheAcknowledgement() {
        var server = State(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.complete(3, .finished)
        server.release()
        #expect(server.takePublished() == "3-3 finished")
    }

    @Test("A completion acknowledges only its own event, not earlier ones (F79)")
    func aCompletionStandsForItsOwnEventOnly() {
        var server = State.forwarding()
        for event in 3...5 as ClosedRange<UInt64> {
            _ = server.receive(event: event)
            server.forward(event, as: event + 10, isRunning: { _ in true }, running: 1)
        }
        server.complete(5, .finished)
        server.release()
        #expect(server.applied == 0)
        #expect(server.takePublished() == "5-5 finished")
        server.release(revision: 0, throughForwarded: 14)
        #expect(server.takePublished() == "acknowledged 4 in 0")
    }

    @Test func consecutiveFinishedEventsAreReportedTogether() {
        var server = State(revision: 5, applied: 2)
        var ledger = TurnLedger(released: 2)
        for event in 3...9 as ClosedRange<UInt64> {
            _ = server.receive(event: event)
            ledger.complete(event, event == 6 ? .cancelled : .finished)
        }
        #expect(ledger.outcomes == 3)
        _ = server.release(&ledger)
        #expect(ledger.outcomes == 0)
        #expect(server.takePublished() == "3-5 finished, 6-6 cancelled, 7-9 finished")
    }

    @Test("A coordinator reports consecutive finished events together, too") func outcomesOfForwardedEvents() {
        var server = State.forwarding()
        for event in 1...6 as ClosedRange<UInt64> { _ = server.receive(event: event) }
        server.complete(2, .finished)
        server.complete(3, .finished)
        server.complete(4, .cancelled)
        server.complete(5, .finished)
        #expect(server.takePublished() == "2-3 finished, 4-4 cancelled, 5-5 finished")
        // What was sent is not merged with what follows.
        server.complete(6, .finished)
        #expect(server.takePublished() == "6-6 finished")
    }

    @Test func theLastNumberEndsLikeAnyOther() {
        var server = State(revision: 0, applied: .max - 1)
        #expect(server.receive(event: .max) == .apply)
        server.complete(.max, .finished)
        server.release()
        #expect(server.takePublished() == "\(UInt64.max)-\(UInt64.max) finished")
    }

    @Test func aGivenRevisionNeverGoesBack() {
        var server = State.forwarding()
        server.release(revision: 9, throughForwarded: 0)
        server.release(revision: 7, throughForwarded: 0)
        #expect(server.revision == 9)
        server.opened(with: 9, applied: 0)
        #expect(server.takePublished() == "")
    }

    // MARK: Patches

    @Test func changesSinceTheLastPublicationArePublished() {
        var server = State(revision: 5, applied: 2)
        #expect(server.base == nil)
        server.takesPatches = true
        #expect(server.base == 5)
        server.release(revision: 8)
        #expect(server.base == 5)
        #expect(server.takePublished() == "state 8 with 2")
        #expect(server.base == 8)
    }

    @Test func aRequestedWholeStateIsSentEvenIfItIsOld() {
        var server = State(revision: 5, applied: 2)
        server.takesPatches = true
        server.resync()
        #expect(server.base == nil)
        #expect(server.takePublished(canSendState: false) == "")
        #expect(server.takePublished() == "state 5 with 2")
        #expect(server.base == 5)
        #expect(server.takePublished() == "")
    }

    @Test("A state that took long to encode acknowledges only its own events, and a newer state follows")
    func aLateStateAcknowledgesWhatIsInIt() {
        var server = State(revision: 5, applied: 2)
        server.takesPatches = true
        _ = server.receive(event: 3)
        server.release(revision: 6)
        _ = server.receive(event: 4)
        server.release(revision: 7)
        #expect(server.take(6, applied: 3).publication == .state(applied: 3))
        #expect(server.isDirty)
        #expect(server.base == 6)
        #expect(server.takePublished() == "state 7 with 4")
    }

    @Test("A state that is sent before its release counts as published, and its events are then acknowledged")
    func aStateAheadOfItsReleaseIsPublishedOnce() {
        var server = State(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.release(revision: 6)
        #expect(server.take(9).publication == .state(applied: 3))
        _ = server.receive(event: 4)
        server.release(revision: 9)
        #expect(server.takePublished() == "acknowledged 4 in 9")
    }

    @Test func aReturningClientGetsTheAppliedEventsAgain() {
        var server = State(revision: 5, applied: 2)
        server.takesPatches = true
        _ = server.receive(event: 3)
        server.release(revision: 6)
        #expect(server.takePublished() == "state 6 with 3")
        // It has got no more than this.
        server.opened(with: 5, applied: 2)
        #expect(server.base == 5)
        #expect(server.takePublished() == "state 6 with 3")
        server.opened(with: 6, applied: 2)
        #expect(server.takePublished() == "acknowledged 3 in 6")
    }

    // MARK: Taking back

    @Test func eventsSinceTheReleaseAreRolledBack() {
        var server = State(revision: 5, applied: 2)
        var ledger = TurnLedger(released: 2)
        _ = server.receive(event: 3)
        _ = server.release(&ledger, revision: server.revision + 1)
        for event in 4...7 as ClosedRange<UInt64> { _ = server.receive(event: event) }
        for event in [4, 5, 7] as [UInt64] { ledger.apply(event) }
        ledger.complete(3, .finished)
        ledger.complete(4, .finished)
        ledger.complete(5, .cancelled)
        ledger.complete(6, .rejected(code: .undecodable, reason: ""))
        let withdrawn = ledger.withdraw()
        #expect(withdrawn.events.map(\.number) == [4, 5, 7])
        #expect(withdrawn.events.map { event in withdrawn.withAction(of: event) { Array($0) } } == [[4], [5], [7]])
        #expect(withdrawn.cancelled.keys.sorted() == [5])
        ledger.fail(.failed(type: "T", message: "m"))
        _ = server.release(&ledger)
        #expect(server.takePublished() == "state 6 with 7; 3-3 failed, 6-6 rejected")
    }

    @Test("An event from before a mark is not merged with one from after it, which may still be withdrawn")
    func outcomesAroundAMark() {
        var server = State(revision: 5, applied: 2)
        var ledger = TurnLedger(released: 2)
        _ = server.receive(event: 3)
        ledger.apply(3)
        ledger.setMark(applied: server.applied)
        _ = server.receive(event: 4)
        ledger.apply(4)
        // Both end while the marked state is encoded.
        ledger.complete(3, .finished)
        ledger.complete(4, .finished)
        _ = server.releaseMarked(&ledger, revision: 6)
        #expect(ledger.withdraw().events.map(\.number) == [4])
        _ = server.release(&ledger)
        #expect(server.takePublished() == "state 6 with 4; 3-3 finished")
    }

    // MARK: Cancelling

    @Test("A cancellation that overtakes its event is kept (F49)") func aCancelThatOvertookItsEventIsKept() throws {
        var server = State(revision: 0, applied: 0)
        let isHere = try server.cancel(event: 2)
        #expect(!isHere)
        #expect(server.receive(event: 1) == .apply)
        #expect(server.receive(event: 2) == .applyCancelled(WireCancellation()))
        let why = WireCancellation(by: .sender, reason: "too slow")
        for event in 3...67 { _ = try server.cancel(event: UInt64(event), why) }
        _ = try server.cancel(event: 3, WireCancellation(by: .deadline))
        // The first cancel counts. The reasons of many would take much memory.
        #expect(server.receive(event: 3) == .applyCancelled(why))
        #expect(server.receive(event: 67) == .applyCancelled(WireCancellation(by: .sender)))
        #expect(server.receive(event: 2) == .duplicate)
        let isHereLater = try server.cancel(event: 2)
        #expect(isHereLater)
    }

    @Test func moreCancelsInAdvanceThanEventsBreakTheProtocol() throws {
        var server = State(revision: 0, applied: 0)
        let limit = ChannelLimits().maximumEvents
        for event in 1...limit { _ = try server.cancel(event: UInt64(event)) }
        let error = #expect(throws: SessionError.self) { _ = try server.cancel(event: .max) }
        #expect(error == .violation("65536 events were cancelled that did not arrive."))
    }

    // MARK: Remembering

    @Test func aRememberedChannelContinues() throws {
        var server = State.forwarding()
        _ = try server.cancel(event: 9)
        for event in 1...4 as ClosedRange<UInt64> {
            _ = server.receive(event: event)
            server.forward(event, as: event + 10, isRunning: { _ in true }, running: 1)
        }
        server.complete(1, .cancelled)
        server.release(revision: 3, throughForwarded: 12)
        #expect(server.takePublished() == "state 3 with 2; 1-1 cancelled")
        server.complete(2, .failed(type: "T", message: "m"))
        server.release()
        let bytes = try CBOREncoder().encode(server)
        var again = try CBORDecoder().decode(State.self, from: bytes)
        #expect(again == server)
        #expect(again.receive(event: 4) == .duplicate)
        again.repeatOutcome(of: 1)
        again.repeatOutcome(of: 2)
        #expect(again.takePublished() == "2-2 failed, 1-1 cancelled")
        #expect(again.receive(event: 9) == .applyCancelled(WireCancellation()))
    }
}

extension ChannelServerState {
    /// Returns what is sent to the other side, in words.
    fileprivate mutating func takePublished(canSendState: Bool = true) -> String {
        let offer = revision
        let (publication, ends) = take(canSendState ? offer : nil)
        let state: String? =
            switch publication {
            case .state(let applied): "state \(offer) with \(applied)"
            case .acknowledgement(let applied, let revision): "acknowledged \(applied) in \(revision)"
            case nil: nil
            }
        let outcomes = ends.map { end in
            let outcome = "\(end.outcome)".prefix { $0 != "(" }
            return "\(end.first)-\(end.last) \(outcome)"
        }
        return [state, outcomes.isEmpty ? nil : outcomes.joined(separator: ", ")].compactMap(\.self).joined(
            separator: "; "
        )
    }
}

extension TurnLedger {
    /// Adds an event whose action is its number.
    fileprivate mutating func apply(_ event: UInt64) {
        let name = EventName(origin: EventName.Origin(sender: 1, channel: 1), number: event)
        withUnsafeBytes(of: UInt8(event)) { action in
            add(IncomingEvent(number: event, name: name, metadata: .none, action: action))
        }
    }
}
