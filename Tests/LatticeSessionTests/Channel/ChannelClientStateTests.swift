import LatticeConcurrency
import LatticeWire
import Testing

@testable import LatticeSession

struct ChannelClientStateTests {
    typealias State = ChannelClientState<Int>

    /// Returns an open channel that has sent events 1 to `count`, with the promises 1 to `count`.
    private func opened(sending count: Int = 0, limits: ChannelLimits = ChannelLimits()) -> State {
        var client = State(limits: limits)
        client.startOpening()
        _ = client.opened(state: [0], revision: 1, applied: 0, by: .starter)
        for promise in 0..<count { _ = client.send([UInt8(truncatingIfNeeded: promise + 1)], promise: promise + 1) }
        return client
    }

    private let keeper = State.Answerer.keeper(storeID: [1], record: 10)

    /// Returns an open channel at view level, where the other side keeps the channel.
    private func kept(sending count: Int = 0) -> State {
        var client = State()
        client.startOpening()
        _ = client.opened(state: [0], revision: 1, applied: 0, by: keeper)
        for promise in 0..<count { _ = client.send([UInt8(truncatingIfNeeded: promise + 1)], promise: promise + 1) }
        return client
    }

    // MARK: Sending

    @Test func eventsWaitUntilTheChannelIsOpen() {
        var client = State()
        #expect(client.send([1], promise: 1).spoken == "wait 1")
        client.startOpening()
        #expect(client.send([2], promise: 2).spoken == "wait 2")
        let reopening = client.opened(state: [0], revision: 1, applied: 0, by: .starter)
        #expect(reopening.resending.map(\.number) == [1, 2])
        #expect(client.send([3], promise: 3).spoken == "transmit 3")
        #expect(client.nextEvent == 4)
    }

    @Test func moreEventsThanTheLimitAreOverloaded() {
        var limits = ChannelLimits()
        limits.maximumEvents = 2
        var client = opened(sending: 2, limits: limits)
        #expect(
            client.send([9], promise: 3).spoken
                == "overloaded: The limit of unacknowledged events is reached (events: 2, bytes: 2). Wait for some of them to end."
        )
        client.receive(acknowledgement: 1, revision: 1)
        #expect(client.send([9], promise: 3).spoken == "transmit 3")
    }

    @Test func moreBytesThanTheLimitAreOverloaded() {
        var limits = ChannelLimits()
        limits.maximumEventBytes = 4
        var client = opened(limits: limits)
        #expect(client.send([1, 2, 3], promise: 1).spoken == "transmit 1")
        #expect(client.send([4, 5], promise: 2).spoken.contains("(events: 1, bytes: 3)"))
        #expect(client.send([4], promise: 2).spoken == "transmit 2")
        _ = client.receive(state: [1], revision: 2, applied: 2)
        #expect(client.send([1, 2, 3, 4], promise: 3).spoken == "transmit 3")
    }

    // MARK: States and acknowledgements

    @Test func aStateAcknowledgesWhatItContains() {
        var client = opened(sending: 3)
        #expect(client.receive(state: [7], revision: 2, applied: 2)?.isEmpty == true)
        #expect(client.acknowledged == 2)
        #expect(client.keptBytes == [7])
        #expect(client.revision == 2)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func aStateThatIsNotNewerIsDroppedAndCounted(revision: UInt64) {
        var client = opened(sending: 1)
        _ = client.receive(state: [7], revision: 2, applied: 0)
        #expect(client.receive(state: [8], revision: revision, applied: 1) == nil)
        #expect(client.dropped == 1)
        #expect(client.keptBytes == [7])
        #expect(client.acknowledged == 0)
    }

    @Test func anAcknowledgementWaitsForItsState() {
        var client = opened(sending: 2)
        client.receive(acknowledgement: 2, revision: 3)
        #expect(client.acknowledged == 0)
        _ = client.receive(state: [7], revision: 3, applied: 1)
        #expect(client.acknowledged == 2)
    }

    @Test func theHighestOfSeveralHeldAcknowledgementsCounts() {
        var client = opened(sending: 3)
        client.receive(acknowledgement: 2, revision: 2)
        client.receive(acknowledgement: 3, revision: 3)
        client.receive(acknowledgement: 1, revision: 2)
        _ = client.receive(state: [7], revision: 3, applied: 0)
        #expect(client.acknowledged == 3)
    }

    @Test func anAcknowledgementBeyondTheSentEventsIsCut() {
        var client = opened(sending: 2)
        client.receive(acknowledgement: .max, revision: 1)
        #expect(client.acknowledged == 2)
        #expect(client.send([1], promise: 3).spoken == "transmit 3")
    }

    // MARK: Patches

    @Test func aPatchMakesTheNewestState() {
        var client = opened(sending: 3)
        #expect(client.receive(patch: 4, base: 1, revision: 2, applied: 2).receipt == .taken)
        #expect(client.receive(patch: 5, base: 2, revision: 7, applied: 3).receipt == .taken)
        #expect(client.revision == 7)
        #expect(client.knownRevision == 7)
        #expect(client.acknowledged == 3)
        #expect(client.keptBytes == [5])
    }

    @Test(
        "A patch for another state is dropped, and the whole state is requested once",
        arguments: [0, 2, 5] as [UInt64]
    )
    func aPatchOfAnotherStateIsDropped(base: UInt64) {
        var client = opened(sending: 2)
        #expect(client.receive(patch: 4, base: base, revision: 6, applied: 2).receipt == .resync(1))
        #expect(client.receive(patch: 5, base: 6, revision: 7, applied: 2).receipt == .dropped)
        #expect(client.dropped == 2)
        #expect(client.acknowledged == 0)
        #expect(client.knownRevision == 0)
        // The requested state has the same revision as before. Without a request it would not count as newer.
        #expect(client.receive(state: [9], revision: 1, applied: 1)?.isEmpty == true)
        #expect(client.receive(state: [8], revision: 1, applied: 2) == nil)
        #expect(client.keptBytes == [9])
        #expect(client.receive(patch: 3, base: 1, revision: 2).receipt == .taken)
    }

    @Test func behindAStateThatCannotBeDecodedTheNextPatchAsksForAnother() {
        var client = opened(sending: 1)
        _ = client.receive(state: [7], revision: 2, applied: 1)
        #expect(client.refuseState(keeping: KeptState([0]), after: 0) == [1])
        #expect(client.knownRevision == 0)
        #expect(client.receive(patch: 4, base: 2, revision: 3).receipt == .resync(2))
        #expect(client.receive(state: [9], revision: 3, applied: 1)?.isEmpty == true)
        #expect(client.keptBytes == [9])
    }

    @Test("Completions that belong to a lost state wait for the whole state")
    func whatBelongsToALostStateWaits() throws {
        var client = opened(sending: 2)
        _ = client.receive(patch: 4, base: 1, revision: 2, applied: 1)
        let isAsked = client.resync(from: 1)
        #expect(isAsked)
        let isAskedAgain = client.resync(from: 1)
        #expect(!isAskedAgain)
        #expect(try client.receive(completion: 1, revision: 2, outcome: .finished) == nil)
        #expect(client.receive(patch: 5, base: 2, revision: 3).receipt == .dropped)
        #expect(client.receive(state: [5], revision: 3, applied: 2)?.map(\.promise) == [1])
    }

    @Test("A whole state is requested from a worker that started from bytes that could not be decoded here")
    func aStateThatOnlyBytesMadeIsAskedFor() {
        var client = opened(sending: 1)
        _ = client.receive(patch: 4, base: 1, revision: 2, applied: 1)
        _ = client.resync(from: 1)
        client.detach()
        #expect(client.keptBytes == [4])
        client.startOpening()
        let opened = client.opened(state: nil, revision: 2, applied: 1, by: .starter)
        #expect(opened.needsState)
        #expect(client.receive(state: [4], revision: 2, applied: 1) != nil)
        client.detach()
        client.startOpening()
        let reopened = client.opened(state: nil, revision: 2, applied: 1, by: .starter)
        #expect(!reopened.needsState)
    }

    // MARK: Completions

    @Test func aCompletionOfAKnownStateTakesEffectAtOnce() throws {
        var client = opened(sending: 2)
        let ending = try client.receive(completion: 2, revision: 1, outcome: .finished)
        #expect(ending?.promise == 2)
        #expect(client.unacknowledged == 1)
    }

    @Test("An outcome that overtakes earlier events acknowledges only itself (F79)")
    func anOutcomeThatOvertakesAcknowledgesOnlyItself() throws {
        var client = opened(sending: 4)
        let ending = try client.receive(completion: 3, revision: 1, outcome: .rejected(code: .overloaded, reason: ""))
        #expect(ending?.promise == 3)
        #expect(client.acknowledged == 0)
        // Then the other side dies.
        client.detach()
        client.startOpening()
        let reopening = client.opened(state: [0], revision: 1, applied: 0, by: .starter)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.number) == [1, 2, 4])
        #expect(reopening.resending.map(\.action) == [[1], [2], [4]])
        // Once those before it are acknowledged, it counts as well.
        client.receive(acknowledgement: 2, revision: 1)
        #expect(client.acknowledged == 3)
    }

    @Test func outcomesInOrderAcknowledgeOneAfterTheOther() throws {
        var client = opened(sending: 3)
        for event in 1...3 as ClosedRange<UInt64> {
            _ = try client.receive(completion: event, revision: 1, outcome: .finished)
            #expect(client.acknowledged == event)
        }
    }

    @Test func completionsAreHeldUntilTheirStateIsHere() throws {
        var client = opened(sending: 3)
        let ending1 = try client.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(ending1 == nil)
        let ending2 = try client.receive(completion: 3, revision: 3, outcome: .cancelled)
        #expect(ending2 == nil)
        let first = client.receive(state: [7], revision: 2, applied: 1)
        #expect(first?.map(\.promise) == [1])
        let second = client.receive(state: [8], revision: 5, applied: 3)
        #expect(second?.map(\.promise) == [3])
        #expect(second?.map(\.outcome) == [.cancelled])
    }

    @Test func aCompletionWhoseRevisionGoesDownWaitsWithTheOneBeforeIt() throws {
        var client = opened(sending: 2)
        _ = try client.receive(completion: 2, revision: 3, outcome: .cancelled)
        _ = try client.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(client.receive(state: [7], revision: 2, applied: 1)?.map(\.promise) == [])
        #expect(client.receive(state: [8], revision: 3, applied: 2)?.map(\.promise) == [2, 1])
    }

    @Test(
        "A state costs only the completions that waited for it, not those that wait for later states",
        .timeLimit(.minutes(1))
    )
    func aStateCostsWhatWaitedForIt() throws {
        let count: UInt64 = 65_536
        var client = opened(sending: Int(count))
        for event in 1...count { _ = try client.receive(completion: event, revision: event + 1, outcome: .finished) }
        for event in 1...count {
            let ended = client.receive(state: [7], revision: event + 1, applied: event)
            #expect(ended?.map(\.promise) == [Int(event)])
        }
    }

    @Test("A second outcome is dropped and counted (F53)") func aSecondOutcomeIsDroppedAndCounted() throws {
        var client = opened(sending: 1)
        let ending3 = try client.receive(completion: 1, revision: 1, outcome: .finished)
        #expect(ending3 != nil)
        let ending4 = try client.receive(completion: 1, revision: 1, outcome: .cancelled)
        #expect(ending4 == nil)
        let ending5 = try client.receive(completion: 77, revision: 1, outcome: .finished)
        #expect(ending5 == nil)
        #expect(client.dropped == 2)
    }

    @Test func oneMessageEndsSeveralEventsInARow() throws {
        var client = opened(sending: 4)
        var endings: [State.Ending] = []
        try client.receive(completion: 1, through: 3, revision: 2, outcome: .finished, endings: &endings)
        #expect(endings.isEmpty, "they wait for their state")
        #expect(client.receive(state: [7], revision: 2, applied: 3)?.map(\.promise) == [1, 2, 3])
        try client.receive(completion: 2, through: 4, revision: 2, outcome: .cancelled, endings: &endings)
        #expect(endings.map(\.promise) == [4])
        #expect(client.dropped == 2)
    }

    @Test func aCompletionBeyondTheSentEventsEndsThem() throws {
        var client = opened(sending: 2)
        var endings: [State.Ending] = []
        try client.receive(completion: 1, through: .max, revision: 1, outcome: .finished, endings: &endings)
        #expect(endings.map(\.promise) == [1, 2])
        #expect(client.send([1], promise: 3).spoken == "transmit 3")
        try client.receive(completion: .max, through: .max, revision: 1, outcome: .finished, endings: &endings)
        #expect(endings.count == 2)
        #expect(client.dropped == 1)
    }

    @Test("A completion of all previous events costs only what still runs", .timeLimit(.minutes(1)))
    func aCompletionOfAllEvents() throws {
        var client = opened(sending: 1)
        for promise in 2...100_000 {
            _ = client.send([1], promise: promise)
            let number = UInt64(promise)
            _ = client.receive(state: [7], revision: number, applied: number)
            _ = try client.receive(completion: number, revision: 1, outcome: .finished)
        }
        let droppedBefore = client.dropped
        var endings: [State.Ending] = []
        for _ in 0..<20_000 {
            try client.receive(completion: 2, through: .max, revision: 1, outcome: .finished, endings: &endings)
        }
        #expect(endings.isEmpty)
        #expect(client.dropped - droppedBefore == 20_000 * 99_999)
        try client.receive(completion: 1, through: .max, revision: 1, outcome: .finished, endings: &endings)
        #expect(endings.map(\.promise) == [1])
    }

    @Test func moreHeldCompletionsThanTheLimitBreakTheProtocol() throws {
        var limits = ChannelLimits()
        limits.maximumHeldCompletions = 1
        var client = opened(sending: 2, limits: limits)
        _ = try client.receive(completion: 1, revision: 9, outcome: .finished)
        let error = #expect(throws: SessionError.self) {
            _ = try client.receive(completion: 2, revision: 9, outcome: .finished)
        }
        #expect(error == .violation("Too many completions (1) wait for a state that did not arrive."))
    }

    // MARK: Cancelling

    @Test func unsentEventsEndHere() {
        var client = State()
        _ = client.send([1], promise: 5)
        #expect(client.cancel(1).spoken == "end 5")
        #expect(client.cancel(1).spoken == "nothing")
        client.startOpening()
        #expect(client.opened(state: [0], revision: 1, applied: 0, by: .starter).resending.isEmpty)
    }

    @Test func sentEventsAreCancelledOnTheOtherSide() {
        var client = opened(sending: 1)
        #expect(client.cancel(1).spoken == "transmit")
        #expect(client.cancel(99).spoken == "nothing")
        client.detach()
        // The next worker starts from a state without the event.
        #expect(client.cancel(1).spoken == "end 1")
    }

    @Test("An event that was cancelled while its worker is away ends, unless its state was acknowledged")
    func cancelledWithoutAWorker() {
        var client = opened(sending: 2)
        _ = client.receive(state: [7], revision: 2, applied: 1)
        client.detach()
        #expect(client.cancel(2).spoken == "end 2")
        client.startOpening()
        #expect(client.opened(state: [7], revision: 2, applied: 1, by: .starter).resending.isEmpty)
    }

    // MARK: Losing and finding the other side

    @Test func aDeathInterruptsAcknowledgedEventsAndKeepsTheRest() throws {
        var client = opened(sending: 3)
        _ = client.receive(state: [7], revision: 2, applied: 2)
        _ = try client.receive(completion: 1, revision: 2, outcome: .finished)
        let (endings, effects, _) = client.detachInterrupting(by: .killed)
        #expect(endings.map(\.promise) == [2])
        #expect(endings.map(\.outcome) == [.interrupted(cause: .signal(9), incarnation: 1)])
        #expect(effects.isEmpty)
        #expect(client.phase == .detached)
        client.startOpening()
        let reopening = client.opened(state: nil, revision: 2, applied: 2, by: .starter)
        #expect(reopening.resending.map(\.spoken) == ["3 [3]"])
        #expect(reopening.endings.isEmpty)
        #expect(client.keptBytes == [7])
    }

    @Test func heldCompletionsOfADeadWorkerAreForgotten() throws {
        var client = kept(sending: 1)
        _ = try client.receive(completion: 1, revision: 9, outcome: .finished)
        client.detach()
        client.startOpening()
        let reopening = client.opened(state: [1], revision: 9, applied: 0, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.number) == [1])
    }

    @Test("An event whose deadline passes before it was sent ends here, once (F55)")
    func expiring() throws {
        var client = State()
        _ = client.send([1], metadata: EventMetadata(deadline: MonotonicDeadline(in: .zero)), promise: 5)
        #expect(client.expire(1) == 5)
        #expect(client.expire(1) == nil)
        #expect(client.cancel(1).spoken == "nothing")
        #expect(client.unacknowledged == 0)
        _ = client.send([2], metadata: EventMetadata(deadline: MonotonicDeadline(in: .seconds(60))), promise: 6)
        client.startOpening()
        let opened = client.opened(state: [0], revision: 1, applied: 0, by: .starter)
        let left = try #require(opened.resending.first?.metadata.deadline.leftMilliseconds)
        #expect((1...60_000).contains(left))
        // Where it was sent it is looked after.
        #expect(client.expire(2) == nil)
        #expect(client.expire(99) == nil)
    }

    @Test("An event that expires in a worker ends when that worker does, and is not sent to the next one (F55)")
    func expiringInAWorker() throws {
        var client = opened(sending: 3)
        _ = client.receive(state: [7], revision: 2, applied: 1)
        for event in 1...2 as ClosedRange<UInt64> { #expect(client.expire(event) == nil) }
        let termination = WorkerTermination.killed
        let endings = client.detachInterrupting(by: termination).endings
        #expect(endings.map(\.promise) == [1, 2])
        #expect(endings.map(\.outcome) == [termination.outcome, .deadlinePassed])
        // The session is over, and the next worker starts without it.
        #expect(client.expire(3) == 3)
        client.startOpening()
        #expect(client.opened(state: nil, revision: 2, applied: 1, by: .starter).resending.isEmpty)
    }

    @Test("An overdue event ends once, is not sent again, and counts as unread until a state arrives")
    func overdue() {
        var client = opened(sending: 3)
        #expect(client.endOverdue(2) == 2)
        #expect(client.endOverdue(2) == nil)
        #expect(client.unacknowledgedBytes == 2 && client.unreadBytes == 3)
        var endings: [State.Ending] = []
        #expect(client.receive(state: [7], revision: 2, applied: 1, endings: &endings))
        #expect(client.unreadBytes == 1)
        #expect(client.endOverdue(3) == 3)
        client.detach()
        #expect(client.unreadBytes == 0)
        client.startOpening()
        #expect(client.opened(state: [7], revision: 2, applied: 1, by: .starter).resending.isEmpty)
    }

    @Test("During isolated retries, a waiting event ends when it expires, and the retried event does not (F55)")
    func expiringWhileOthersAreTried() {
        var client = opened(sending: 2)
        _ = client.detachInterrupting(by: .killed)
        client.hold()
        client.startOpening()
        _ = client.opened(state: nil, revision: 1, applied: 0, by: .starter)
        #expect(client.attempt(1)?.number == 1)
        #expect(client.expire(1) == nil)
        #expect(client.expire(2) == 2)
        #expect(client.releaseHeld().map(\.number) == [1])
    }

    @Test("The coordinator reports that a client's event expired, also after a lost connection (F55)")
    func expiringAtACoordinator() {
        var client = kept(sending: 1)
        client.detach()
        #expect(client.expire(1) == nil)
        client.startOpening()
        let opened = client.opened(state: nil, revision: 1, applied: 0, by: keeper)
        #expect(opened.endings.isEmpty)
        #expect(opened.resending.map(\.number) == [1])
    }

    @Test("Unacknowledged events are sent again in order, with their cancellations (F59)")
    func resendingKeepsTheOrderAndTheCancels() {
        var client = opened(sending: 4)
        _ = client.cancel(2)
        client.detach()
        client.startOpening()
        let reopening = client.opened(state: [0], revision: 2, applied: 1, by: .starter)
        #expect(
            reopening.resending.map(\.spoken) == ["1 running", "2 [2] cancelled", "3 [3]", "4 [4]"]
        )
    }

    @Test func aContinuationListsTheRunningEvents() {
        var client = kept(sending: 2)
        _ = client.receive(state: [7], revision: 2, applied: 1)
        client.detach()
        #expect(client.cancel(1).spoken == "nothing")
        client.startOpening()
        let reopening = client.opened(state: [8], revision: 4, applied: 1, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(
            reopening.resending.map(\.spoken) == ["1 running cancelled", "2 [2]"]
        )
    }

    @Test func aRecordIsRequestedFromItsStore() {
        var client = kept()
        #expect(client.record(in: [1]) == 10)
        #expect(client.record(in: [2]) == nil)
        client.detach()
        #expect(client.record(in: [1]) == 10)
        #expect(opened().record(in: [1]) == nil)
        #expect(State().record(in: []) == nil)
    }

    /// Event 1 runs, event 2 was sent and not acknowledged, event 3 never left.
    private func afterALoss() -> State {
        var client = kept(sending: 2)
        _ = client.receive(state: [7], revision: 5, applied: 1)
        client.detach()
        _ = client.send([3], promise: 3)
        client.startOpening()
        return client
    }

    @Test func aServerThatRemembersGetsTheMissedEvents() {
        var client = afterALoss()
        let reopening = client.opened(state: [8], revision: 6, applied: 1, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.number) == [1, 2, 3])
        #expect(reopening.resending.map(\.action) == [nil, [2], [3]])
    }

    @Test(
        "Events that may have been applied are not sent again to a server that forgot the channel (F80)",
        arguments: [nil, 11]
    )
    func whoHasForgottenGetsWhatNeverLeft(record: UInt64?) {
        var client = afterALoss()
        let answerer = State.Answerer.keeper(storeID: [1], record: record)
        let reopening = client.opened(state: [8], revision: 6, applied: 0, by: answerer)
        #expect(reopening.endings.map(\.promise) == [1, 2])
        // Not interrupted: it may still run.
        #expect(
            reopening.endings.map(\.outcome.reason) == [
                "The event was applied, but the client was away for longer than the coordinator keeps its outcome."
                    + " Its effects may still run.",
                "The client was away for longer than the coordinator remembers it, and the event was not acknowledged"
                    + " before. Look at the state before you send it again.",
            ]
        )
        #expect(reopening.resending.map(\.spoken) == ["3 [3]"])
    }

    @Test func anotherStoreInterruptsRunningEventsAndGetsNoSentEventAgain() {
        var client = afterALoss()
        // The same number says nothing in another memory.
        let answerer = State.Answerer.keeper(storeID: [2], record: 10)
        let reopening = client.opened(state: [8], revision: 1, applied: 0, by: answerer)
        #expect(reopening.endings.map(\.promise) == [1, 2])
        #expect(
            reopening.endings.map(\.outcome.reason) == [
                "interrupted(cause: LatticeWire.WireCause.disconnected, incarnation: 0)",
                "Another coordinator process answers now, and the one before it had not acknowledged the event. Look at"
                    + " the state before you send it again.",
            ]
        )
        #expect(reopening.resending.map(\.number) == [3])
        // Its numbers start again.
        #expect(client.receive(state: [9], revision: 2, applied: 3) != nil)
        #expect(client.unacknowledged == 0)
    }

    @Test func aLostAnswerDoesNotMakeAnotherStoreKnown() {
        // The first answer of the other store never arrived, so its record is not known here.
        var client = afterALoss()
        client.detach()
        client.startOpening()
        #expect(client.record(in: [2]) == nil)
        let answerer = State.Answerer.keeper(storeID: [2], record: 20)
        #expect(client.opened(state: [8], revision: 1, applied: 0, by: answerer).resending.map(\.number) == [3])
    }

    @Test func completionsThatOvertakeTheAnswerToOpenAreKept() throws {
        var client = kept(sending: 2)
        _ = client.receive(state: [7], revision: 2, applied: 2)
        client.detach()
        client.startOpening()
        let ending6 = try client.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(ending6 == nil)
        let ending7 = try client.receive(completion: 2, revision: 9, outcome: .cancelled)
        #expect(ending7 == nil)
        let reopening = client.opened(state: [8], revision: 3, applied: 2, by: keeper)
        #expect(reopening.endings.map(\.promise) == [1])
        #expect(reopening.resending.map(\.number) == [2])
        #expect(client.receive(state: [9], revision: 9, applied: 2)?.map(\.outcome) == [.cancelled])
    }

    @Test func messagesWithoutASessionAreDroppedAndCounted() throws {
        var client = State()
        _ = client.send([1], promise: 1)
        #expect(client.receive(state: [1], revision: 5, applied: 1) == nil)
        let ending8 = try client.receive(completion: 1, revision: 0, outcome: .finished)
        #expect(ending8 == nil)
        client.receive(acknowledgement: 1, revision: 0)
        #expect(client.dropped == 3)
        #expect(client.acknowledged == 0)
    }

    @Test func anUnexpectedAnswerToOpenChangesNothing() {
        var client = opened(sending: 1)
        let reopening = client.opened(state: [9], revision: 9, applied: 1, by: .starter)
        #expect(reopening.resending.isEmpty && reopening.endings.isEmpty)
        #expect(client.revision == 1)
    }

    // MARK: Closing

    @Test func closingEndsEverythingOnce() {
        var client = opened(sending: 2)
        _ = client.receive(state: [7], revision: 2, applied: 1)
        client.detach()
        _ = client.send([3], promise: 3)
        let interrupted = WireOutcome.interrupted(cause: .signal(9), incarnation: 4)
        let unknown = WireOutcome.unknown(reason: "over")
        let end = ChannelEnd(reason: "over")
        let endings = client.close(end, sent: unknown, running: interrupted)
        #expect(endings.map(\.promise) == [1, 2, 3])
        #expect(endings.map(\.outcome) == [interrupted, unknown, .rejected(code: .closed, reason: "over")])
        #expect(client.close(end, sent: unknown, running: unknown).isEmpty)
        #expect(client.send([1], promise: 4).spoken == "closed: over")
        #expect(client.unacknowledged == 0)
    }

    @Test func aClosedChannelStaysClosedUntilItIsRevived() {
        var client = opened()
        _ = client.close(ChannelEnd(reason: "over"), sent: .cancelled, running: .cancelled)
        client.detach()
        client.startOpening()
        #expect(client.phase == .closed(ChannelEnd(reason: "over")))
        client.revive()
        #expect(client.phase == .detached)
        #expect(client.send([1], promise: 4).spoken == "wait 1")
        client.startOpening()
        #expect(client.phase == .opening)
    }
}

extension WireOutcome {
    fileprivate var reason: String {
        switch self {
        case .unknown(let reason): reason
        default: "\(self)"
        }
    }
}

extension ChannelClientState<Int>.Sending {
    fileprivate var spoken: String {
        switch self {
        case .transmit(let event): "transmit \(event)"
        case .wait(let event): "wait \(event)"
        case .reject(.rejected(let code, let reason, _), _):
            "\(code == .overloaded ? "overloaded" : "closed"): \(reason)"
        case .reject(let outcome, _): "\(outcome)"
        }
    }
}

extension ChannelClientState<Int>.Cancelling {
    fileprivate var spoken: String {
        switch self {
        case .transmit: "transmit"
        case .end(let promise): "end \(promise)"
        case .nothing: "nothing"
        }
    }
}

extension ChannelClientState {
    /// The bytes of the newest state.
    fileprivate var keptBytes: [UInt8]? { try? kept?.encoded() }

    /// Receives a state. Returns the events that end with it, or nil if the state is not newer.
    fileprivate mutating func receive(state bytes: [UInt8], revision: UInt64, applied: UInt64) -> [Ending]? {
        var endings: [Ending] = []
        return receive(state: bytes, revision: revision, applied: applied, endings: &endings) ? endings : nil
    }

    /// Receives a patch that appends one value to `state`, and returns the result.
    fileprivate mutating func receive(
        patch value: UInt8,
        base: UInt64,
        revision: UInt64,
        applied: UInt64 = 0
    ) -> (receipt: PatchReceipt, ended: [Promise]) {
        var endings: [Ending] = []
        let receipt = receive(
            patch: [0x82, 0x00, value],
            base: base,
            revision: revision,
            applied: applied,
            endings: &endings
        )
        return (receipt, endings.map(\.promise))
    }

    /// Receives a completion of one event, and returns the events that end.
    fileprivate mutating func receive(
        completion event: UInt64,
        revision: UInt64,
        outcome: WireOutcome
    ) throws(SessionError) -> Ending? {
        var endings: [Ending] = []
        try receive(completion: event, through: event, revision: revision, outcome: outcome, endings: &endings)
        return endings.first
    }
}

extension EventWindow.Entry {
    fileprivate var spoken: String {
        "\(number) " + (action.map { "\($0)" } ?? "running") + (isCancelled ? " cancelled" : "")
    }
}
