import LatticeCore
import Testing

@testable import LatticeSession

struct ChannelOpenerTests {
    typealias Opener = ChannelOpener<Int>

    /// Open, with the tickets 1 to `count` on events 1 to `count`.
    private func opened(sending count: Int = 0, limits: ChannelLimits = ChannelLimits()) -> Opener {
        var opener = Opener(limits: limits)
        opener.startOpening()
        _ = opener.opened(state: [0], revision: 1, applied: 0, by: .starter)
        for ticket in 0..<count { _ = opener.send([UInt8(truncatingIfNeeded: ticket + 1)], ticket: ticket + 1) }
        return opener
    }

    private let keeper = Opener.Answerer.keeper(memory: [1], record: 10)

    /// The same at view level: the other side keeps the channel.
    private func kept(sending count: Int = 0) -> Opener {
        var opener = Opener()
        opener.startOpening()
        _ = opener.opened(state: [0], revision: 1, applied: 0, by: keeper)
        for ticket in 0..<count { _ = opener.send([UInt8(truncatingIfNeeded: ticket + 1)], ticket: ticket + 1) }
        return opener
    }

    // MARK: Sending

    @Test func eventsWaitUntilTheChannelIsOpen() {
        var opener = Opener()
        #expect(opener.send([1], ticket: 1).spoken == "wait 1")
        opener.startOpening()
        #expect(opener.send([2], ticket: 2).spoken == "wait 2")
        let reopening = opener.opened(state: [0], revision: 1, applied: 0, by: .starter)
        #expect(reopening.resending.map(\.event) == [1, 2])
        #expect(opener.send([3], ticket: 3).spoken == "transmit 3")
        #expect(opener.nextEvent == 4)
    }

    @Test func moreEventsThanTheLimitAreOverloaded() {
        var limits = ChannelLimits()
        limits.maximumEvents = 2
        var opener = opened(sending: 2, limits: limits)
        #expect(
            opener.send([9], ticket: 3).spoken
                == "overloaded: 2 events (2 bytes) wait to be acknowledged, and no more are kept; wait for some of them to end"
        )
        opener.receive(acknowledgement: 1, revision: 1)
        #expect(opener.send([9], ticket: 3).spoken == "transmit 3")
    }

    @Test func moreBytesThanTheLimitAreOverloaded() {
        var limits = ChannelLimits()
        limits.maximumEventBytes = 4
        var opener = opened(limits: limits)
        #expect(opener.send([1, 2, 3], ticket: 1).spoken == "transmit 1")
        #expect(opener.send([4, 5], ticket: 2).spoken.hasPrefix("overloaded: 1 events (3 bytes) wait"))
        #expect(opener.send([4], ticket: 2).spoken == "transmit 2")
        _ = opener.receive(state: [1], revision: 2, applied: 2)
        #expect(opener.send([1, 2, 3, 4], ticket: 3).spoken == "transmit 3")
    }

    // MARK: States and acknowledgements

    @Test func aStateAcknowledgesWhatItContains() {
        var opener = opened(sending: 3)
        #expect(opener.receive(state: [7], revision: 2, applied: 2)?.isEmpty == true)
        #expect(opener.acknowledged == 2)
        #expect(opener.state == [7])
        #expect(opener.revision == 2)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func aStateThatIsNotNewerIsDroppedAndCounted(revision: UInt64) {
        var opener = opened(sending: 1)
        _ = opener.receive(state: [7], revision: 2, applied: 0)
        #expect(opener.receive(state: [8], revision: revision, applied: 1) == nil)
        #expect(opener.dropped == 1)
        #expect(opener.state == [7])
        #expect(opener.acknowledged == 0)
    }

    @Test func anAcknowledgementWaitsForItsState() {
        var opener = opened(sending: 2)
        opener.receive(acknowledgement: 2, revision: 3)
        #expect(opener.acknowledged == 0)
        _ = opener.receive(state: [7], revision: 3, applied: 1)
        #expect(opener.acknowledged == 2)
    }

    @Test func ofSeveralHeldAcknowledgementsTheHighestCounts() {
        var opener = opened(sending: 3)
        opener.receive(acknowledgement: 2, revision: 2)
        opener.receive(acknowledgement: 3, revision: 3)
        opener.receive(acknowledgement: 1, revision: 2)
        _ = opener.receive(state: [7], revision: 3, applied: 0)
        #expect(opener.acknowledged == 3)
    }

    @Test func anAcknowledgementBeyondWhatWasSentIsCut() {
        var opener = opened(sending: 2)
        opener.receive(acknowledgement: .max, revision: 1)
        #expect(opener.acknowledged == 2)
        #expect(opener.send([1], ticket: 3).spoken == "transmit 3")
    }

    // MARK: Completions

    @Test func aCompletionOfAKnownStateTakesEffectAtOnce() throws {
        var opener = opened(sending: 2)
        let ending = try opener.receive(completion: 2, revision: 1, outcome: .finished)
        #expect(ending?.ticket == 2)
        #expect(opener.unacknowledged == 1)
    }

    @Test("F79: an outcome that overtakes earlier events acknowledges only itself")
    func anOutcomeThatOvertakesAcknowledgesOnlyItself() throws {
        var opener = opened(sending: 4)
        let ending = try opener.receive(completion: 3, revision: 1, outcome: .rejected(.overloaded))
        #expect(ending?.ticket == 3)
        #expect(opener.acknowledged == 0)
        // Then the other side dies.
        opener.detach()
        opener.startOpening()
        let reopening = opener.opened(state: [0], revision: 1, applied: 0, by: .starter)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.event) == [1, 2, 4])
        #expect(reopening.resending.map(\.action) == [[1], [2], [4]])
        // Once those before it are acknowledged, it counts as well.
        opener.receive(acknowledgement: 2, revision: 1)
        #expect(opener.acknowledged == 3)
    }

    @Test func outcomesInOrderAcknowledgeOneAfterTheOther() throws {
        var opener = opened(sending: 3)
        for event in 1...3 as ClosedRange<UInt64> {
            _ = try opener.receive(completion: event, revision: 1, outcome: .finished)
            #expect(opener.acknowledged == event)
        }
    }

    @Test func completionsAreHeldUntilTheirStateIsHere() throws {
        var opener = opened(sending: 3)
        let ending1 = try opener.receive(completion: 3, revision: 3, outcome: .cancelled)
        #expect(ending1 == nil)
        let ending2 = try opener.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(ending2 == nil)
        let first = opener.receive(state: [7], revision: 2, applied: 1)
        #expect(first?.map(\.ticket) == [1])
        let second = opener.receive(state: [8], revision: 5, applied: 3)
        #expect(second?.map(\.ticket) == [3])
        #expect(second?.map(\.outcome) == [.cancelled])
    }

    @Test("F53: a second outcome is dropped and counted") func aSecondOutcomeIsDroppedAndCounted() throws {
        var opener = opened(sending: 1)
        let ending3 = try opener.receive(completion: 1, revision: 1, outcome: .finished)
        #expect(ending3 != nil)
        let ending4 = try opener.receive(completion: 1, revision: 1, outcome: .cancelled)
        #expect(ending4 == nil)
        let ending5 = try opener.receive(completion: 77, revision: 1, outcome: .finished)
        #expect(ending5 == nil)
        #expect(opener.dropped == 2)
    }

    @Test func oneMessageEndsSeveralEventsInARow() throws {
        var opener = opened(sending: 4)
        var endings: [Opener.Ending] = []
        try opener.receive(completion: 1, through: 3, revision: 2, outcome: .finished, endings: &endings)
        #expect(endings.isEmpty, "they wait for their state")
        #expect(opener.receive(state: [7], revision: 2, applied: 3)?.map(\.ticket) == [1, 2, 3])
        try opener.receive(completion: 2, through: 4, revision: 2, outcome: .cancelled, endings: &endings)
        #expect(endings.map(\.ticket) == [4])
        #expect(opener.dropped == 2)
    }

    @Test func aCompletionOfMoreEventsThanWereSentEndsThose() throws {
        var opener = opened(sending: 2)
        var endings: [Opener.Ending] = []
        try opener.receive(completion: 1, through: .max, revision: 1, outcome: .finished, endings: &endings)
        #expect(endings.map(\.ticket) == [1, 2])
        #expect(opener.send([1], ticket: 3).spoken == "transmit 3")
        try opener.receive(completion: .max, through: .max, revision: 1, outcome: .finished, endings: &endings)
        #expect(endings.count == 2)
        #expect(opener.dropped == 1)
    }

    @Test func moreHeldCompletionsThanTheLimitBreakTheProtocol() throws {
        var limits = ChannelLimits()
        limits.maximumHeldCompletions = 1
        var opener = opened(sending: 2, limits: limits)
        _ = try opener.receive(completion: 1, revision: 9, outcome: .finished)
        let error = #expect(throws: SessionError.self) {
            _ = try opener.receive(completion: 2, revision: 9, outcome: .finished)
        }
        #expect(
            error?.message
                == "the other side broke the protocol: 1 completions wait for a state that did not come"
        )
    }

    // MARK: Cancelling

    @Test func whatWasNotSentEndsHere() {
        var opener = Opener()
        _ = opener.send([1], ticket: 5)
        #expect(opener.cancel(1).spoken == "end 5")
        #expect(opener.cancel(1).spoken == "nothing")
        opener.startOpening()
        #expect(opener.opened(state: [0], revision: 1, applied: 0, by: .starter).resending.isEmpty)
    }

    @Test func whatWasSentIsCancelledOverThere() {
        var opener = opened(sending: 1)
        #expect(opener.cancel(1).spoken == "transmit")
        #expect(opener.cancel(99).spoken == "nothing")
        opener.detach()
        #expect(opener.cancel(1).spoken == "nothing")
    }

    // MARK: Losing and finding the other side

    @Test func aDeathInterruptsWhatWasAcknowledgedAndKeepsTheRest() throws {
        var opener = opened(sending: 3)
        _ = opener.receive(state: [7], revision: 2, applied: 2)
        _ = try opener.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(opener.detachInterrupting() == [2])
        #expect(opener.phase == .detached)
        opener.startOpening()
        let reopening = opener.opened(state: nil, revision: 2, applied: 2, by: .starter)
        #expect(reopening.resending == [.init(event: 3, action: [3], isCancelled: false)])
        #expect(reopening.endings.isEmpty)
        #expect(opener.state == [7])
    }

    @Test func heldCompletionsOfADeadWorkerAreForgotten() throws {
        var opener = kept(sending: 1)
        _ = try opener.receive(completion: 1, revision: 9, outcome: .finished)
        opener.detach()
        opener.startOpening()
        let reopening = opener.opened(state: [1], revision: 9, applied: 0, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.event) == [1])
    }

    @Test("F59: what was not acknowledged is sent again, in order and with its cancels")
    func resendingKeepsTheOrderAndTheCancels() {
        var opener = opened(sending: 4)
        opener.detach()
        _ = opener.cancel(2)
        opener.startOpening()
        let reopening = opener.opened(state: [0], revision: 2, applied: 1, by: .starter)
        #expect(
            reopening.resending == [
                .init(event: 1, action: [], isCancelled: false),
                .init(event: 2, action: [2], isCancelled: true),
                .init(event: 3, action: [3], isCancelled: false),
                .init(event: 4, action: [4], isCancelled: false),
            ]
        )
    }

    @Test func aContinuationAsksForWhatRuns() {
        var opener = kept(sending: 2)
        _ = opener.receive(state: [7], revision: 2, applied: 1)
        opener.detach()
        #expect(opener.cancel(1).spoken == "nothing")
        opener.startOpening()
        let reopening = opener.opened(state: [8], revision: 4, applied: 1, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(
            reopening.resending == [
                .init(event: 1, action: [], isCancelled: true), .init(event: 2, action: [2], isCancelled: false),
            ]
        )
    }

    @Test func aRecordIsAskedForInTheMemoryThatToldIt() {
        var opener = kept()
        #expect(opener.record(in: [1]) == 10)
        #expect(opener.record(in: [2]) == nil)
        opener.detach()
        #expect(opener.record(in: [1]) == 10)
        #expect(opened().record(in: [1]) == nil)
        #expect(Opener().record(in: []) == nil)
    }

    /// Event 1 runs, event 2 was sent and not acknowledged, event 3 never left.
    private func afterALoss() -> Opener {
        var opener = kept(sending: 2)
        _ = opener.receive(state: [7], revision: 5, applied: 1)
        opener.detach()
        _ = opener.send([3], ticket: 3)
        opener.startOpening()
        return opener
    }

    @Test func whoRemembersIsAskedAndGetsWhatItMayHaveMissed() {
        var opener = afterALoss()
        let reopening = opener.opened(state: [8], revision: 6, applied: 1, by: keeper)
        #expect(reopening.endings.isEmpty)
        #expect(reopening.resending.map(\.event) == [1, 2, 3])
        #expect(reopening.resending.map(\.action) == [[], [2], [3]])
    }

    @Test(
        "F80: a server that has forgotten the channel is not sent again what it may have applied",
        arguments: [nil, 11]
    )
    func whoHasForgottenGetsWhatNeverLeft(record: UInt64?) {
        var opener = afterALoss()
        let answerer = Opener.Answerer.keeper(memory: [1], record: record)
        let reopening = opener.opened(state: [8], revision: 6, applied: 0, by: answerer)
        #expect(reopening.endings.map(\.ticket) == [1, 2])
        // Not interrupted: it may still run.
        #expect(
            reopening.endings.map(\.outcome.reason) == [
                "the event was applied, and the client was away for longer than the coordinator remembers how it ended;"
                    + " what it started may still run",
                "the client was away for longer than the coordinator remembers it, and the event was not acknowledged"
                    + " before; look at the state before it is sent again",
            ]
        )
        #expect(reopening.resending == [.init(event: 3, action: [3], isCancelled: false)])
    }

    @Test func anotherMemoryHasInterruptedWhatRanAndIsNotSentAgainWhatLeft() {
        var opener = afterALoss()
        // The same number says nothing in another memory.
        let answerer = Opener.Answerer.keeper(memory: [2], record: 10)
        let reopening = opener.opened(state: [8], revision: 1, applied: 0, by: answerer)
        #expect(reopening.endings.map(\.ticket) == [1, 2])
        #expect(
            reopening.endings.map(\.outcome.reason) == [
                "disconnected (incarnation 0)",
                "the coordinator lost its memory before it acknowledged the event; look at the state before it is sent"
                    + " again",
            ]
        )
        #expect(reopening.resending.map(\.event) == [3])
        // Its numbers start anew.
        #expect(opener.receive(state: [9], revision: 2, applied: 3) != nil)
        #expect(opener.unacknowledged == 0)
    }

    @Test func anAnswerThatWasLostDoesNotMakeAStrangerAnAcquaintance() {
        // The first answer of the other memory never came, so its record is not the one that is known here.
        var opener = afterALoss()
        opener.detach()
        opener.startOpening()
        #expect(opener.record(in: [2]) == nil)
        let answerer = Opener.Answerer.keeper(memory: [2], record: 20)
        #expect(opener.opened(state: [8], revision: 1, applied: 0, by: answerer).resending.map(\.event) == [3])
    }

    @Test func completionsThatOvertakeTheAnswerToOpenAreKept() throws {
        var opener = kept(sending: 2)
        _ = opener.receive(state: [7], revision: 2, applied: 2)
        opener.detach()
        opener.startOpening()
        let ending6 = try opener.receive(completion: 1, revision: 2, outcome: .finished)
        #expect(ending6 == nil)
        let ending7 = try opener.receive(completion: 2, revision: 9, outcome: .cancelled)
        #expect(ending7 == nil)
        let reopening = opener.opened(state: [8], revision: 3, applied: 2, by: keeper)
        #expect(reopening.endings.map(\.ticket) == [1])
        #expect(reopening.resending.map(\.event) == [2])
        #expect(opener.receive(state: [9], revision: 9, applied: 2)?.map(\.outcome) == [.cancelled])
    }

    @Test func whatComesWithoutASessionIsDroppedAndCounted() throws {
        var opener = Opener()
        _ = opener.send([1], ticket: 1)
        #expect(opener.receive(state: [1], revision: 5, applied: 1) == nil)
        let ending8 = try opener.receive(completion: 1, revision: 0, outcome: .finished)
        #expect(ending8 == nil)
        opener.receive(acknowledgement: 1, revision: 0)
        #expect(opener.dropped == 3)
        #expect(opener.acknowledged == 0)
    }

    @Test func anUnexpectedAnswerToOpenChangesNothing() {
        var opener = opened(sending: 1)
        let reopening = opener.opened(state: [9], revision: 9, applied: 1, by: .starter)
        #expect(reopening.resending.isEmpty && reopening.endings.isEmpty)
        #expect(opener.revision == 1)
    }

    // MARK: Closing

    @Test func closingEndsEverythingOnce() {
        var opener = opened(sending: 2)
        _ = opener.receive(state: [7], revision: 2, applied: 1)
        opener.detach()
        _ = opener.send([3], ticket: 3)
        let interruption = Interruption(cause: .signal(9), incarnation: 4)
        let unknown = EventOutcome.unknown(UnknownOutcome(reason: "over"))
        let endings = opener.close(.closed.with(reason: "over"), sent: unknown, running: .interrupted(interruption))
        #expect(endings.map(\.ticket) == [1, 2, 3])
        #expect(endings.map(\.outcome) == [.interrupted(interruption), unknown, .rejected(.closed)])
        #expect(opener.close(.closed, sent: unknown, running: unknown).isEmpty)
        #expect(opener.send([1], ticket: 4).spoken == "closed: over")
        #expect(opener.unacknowledged == 0)
    }

    @Test func aClosedChannelStaysClosedUntilItIsRevived() {
        var opener = opened()
        _ = opener.close(.closed, sent: .cancelled, running: .cancelled)
        opener.detach()
        opener.startOpening()
        #expect(opener.phase == .closed(.closed))
        opener.revive()
        #expect(opener.phase == .detached)
        #expect(opener.send([1], ticket: 4).spoken == "wait 1")
        opener.startOpening()
        #expect(opener.phase == .opening)
    }
}

extension EventOutcome {
    fileprivate var reason: String {
        switch self {
        case .unknown(let unknown): unknown.reason
        case .interrupted(let interruption): "\(interruption)"
        default: "\(self)"
        }
    }
}

extension ChannelOpener<Int>.Sending {
    fileprivate var spoken: String {
        switch self {
        case .transmit(let event): "transmit \(event)"
        case .wait(let event): "wait \(event)"
        case .reject(let rejection): "\(rejection)"
        }
    }
}

extension ChannelOpener<Int>.Cancelling {
    fileprivate var spoken: String {
        switch self {
        case .transmit: "transmit"
        case .end(let ticket): "end \(ticket)"
        case .nothing: "nothing"
        }
    }
}

extension ChannelOpener {
    /// What ended with the state, or nil if it is not newer.
    fileprivate mutating func receive(state bytes: [UInt8], revision: UInt64, applied: UInt64) -> [Ending]? {
        var endings: [Ending] = []
        return receive(state: bytes, revision: revision, applied: applied, endings: &endings) ? endings : nil
    }

    /// What ended with the completion of one event.
    fileprivate mutating func receive(
        completion event: UInt64,
        revision: UInt64,
        outcome: EventOutcome
    ) throws(SessionError) -> Ending? {
        var endings: [Ending] = []
        try receive(completion: event, through: event, revision: revision, outcome: outcome, endings: &endings)
        return endings.first
    }
}
