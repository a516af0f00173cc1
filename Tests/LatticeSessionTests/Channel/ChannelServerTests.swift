import LatticeSession
import Testing

struct ChannelServerTests {
    @Test("F38, F39: events are applied once and in order") func eventsAreAppliedOnceAndInOrder() {
        var server = ChannelServer(revision: 5, applied: 2)
        #expect(server.receive(event: 2) == .duplicate)
        #expect(server.receive(event: 3) == .apply)
        #expect(server.receive(event: 3) == .duplicate)
        // Numbers of events that were cancelled before they left are missing.
        #expect(server.receive(event: 6) == .apply)
        #expect(server.receive(event: 5) == .duplicate)
        #expect(server.received == 6)
    }

    @Test func nothingIsDueBeforeSomethingHappened() {
        var server = ChannelServer(revision: 5, applied: 2)
        #expect(server.publish() == nil)
        #expect(!server.isDirty)
    }

    @Test func aChangeIsPublishedOnceWithWhatIsApplied() {
        var server = ChannelServer(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.apply(through: 3)
        server.change()
        server.change()
        #expect(server.isDirty)
        #expect(server.publish() == .state(revision: 7, applied: 3))
        #expect(server.publish() == nil)
    }

    @Test func anEventThatChangedNothingIsAcknowledged() {
        var server = ChannelServer(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.apply(through: 3)
        #expect(server.publish() == .acknowledgement(applied: 3, revision: 5))
        #expect(server.publish() == nil)
    }

    @Test func aCompletionStandsForTheAcknowledgement() {
        var server = ChannelServer(revision: 5, applied: 2)
        _ = server.receive(event: 3)
        server.apply(through: 3)
        #expect(server.complete(3) == 5)
        #expect(server.publish() == nil)
    }

    @Test("F79: a completion acknowledges its own event, and neither those before it nor what it overtook")
    func aCompletionStandsForItsOwnEventOnly() {
        var server = ChannelServer(revision: 5, applied: 2)
        for event in 3...5 as ClosedRange<UInt64> { _ = server.receive(event: event) }
        #expect(server.complete(5) == 5)
        #expect(server.applied == 2)
        #expect(server.publish() == nil)
        server.apply(through: 4)
        #expect(server.publish() == .acknowledgement(applied: 4, revision: 5))
    }

    @Test func theLastNumberEndsLikeAnyOther() {
        var server = ChannelServer(revision: 0, applied: .max - 1)
        #expect(server.receive(event: .max) == .apply)
        #expect(server.complete(.max) == 0)
        #expect(server.complete(.max) == 0)
        #expect(server.publish() == nil)
    }

    @Test func whatWasNotReceivedCannotBeApplied() {
        var server = ChannelServer(revision: 5, applied: 2)
        server.apply(through: 9)
        #expect(server.applied == 2)
        _ = server.receive(event: 4)
        server.apply(through: 9)
        #expect(server.applied == 4)
        server.apply(through: 3)
        #expect(server.applied == 4)
    }

    @Test func aGivenRevisionNeverGoesBack() {
        var server = ChannelServer(revision: 5, applied: 0)
        server.change(to: 9)
        server.change(to: 7)
        #expect(server.revision == 9)
        server.republish()
        #expect(server.publish() == nil)
    }

    @Test("F49: a cancel that overtook its event is kept") func aCancelThatOvertookItsEventIsKept() throws {
        var server = ChannelServer(revision: 0, applied: 0)
        let isHere = try server.cancel(event: 2)
        #expect(!isHere)
        #expect(server.receive(event: 1) == .apply)
        #expect(server.receive(event: 2) == .applyCancelled)
        #expect(server.receive(event: 2) == .duplicate)
        let isHereLater = try server.cancel(event: 2)
        #expect(isHereLater)
    }

    @Test func moreCancelsInAdvanceThanEventsBreakTheProtocol() throws {
        var server = ChannelServer(revision: 0, applied: 0)
        let limit = ChannelLimits().maximumEvents
        for event in 1...limit { _ = try server.cancel(event: UInt64(event)) }
        let error = #expect(throws: SessionError.self) { _ = try server.cancel(event: .max) }
        #expect(error?.message == "the other side broke the protocol: 65536 events were cancelled that did not come")
    }
}
