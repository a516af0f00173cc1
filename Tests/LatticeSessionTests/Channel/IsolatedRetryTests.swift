import LatticeWire
import Testing

@testable import LatticeSession

/// Tests a channel that sends events again one at a time, to find the one that ends its worker.
struct IsolatedRetryTests {
    private typealias State = ChannelClientState<Int>

    /// After the death of a worker that had got the events 1 to 3, of which it had acknowledged the first.
    private func held() -> State {
        var client = State()
        open(&client, applied: 0)
        for promise in 1...3 { _ = client.send([UInt8(promise)], promise: promise) }
        client.receive(acknowledgement: 1, revision: 1)
        #expect(client.inFlight == [2, 3])
        _ = client.detachInterrupting(by: .killed)
        #expect(client.inFlight == [])
        client.hold()
        return client
    }

    private func open(_ client: inout State, applied: UInt64) {
        client.startOpening()
        _ = client.opened(state: [0], revision: 1, applied: applied, by: .starter)
    }

    @Test("During isolated retries no event is sent when the channel opens, and new events wait")
    func nothingIsSent() {
        var client = held()
        client.startOpening()
        let reopening = client.opened(state: [0], revision: 1, applied: 1, by: .starter)
        #expect(reopening.resending.isEmpty)
        guard case .wait(4) = client.send([4], promise: 4) else {
            Issue.record("it was sent")
            return
        }
        #expect(client.inFlight == [])
    }

    @Test("Only the retried event is in flight until it is acknowledged")
    func oneAtATime() {
        var client = held()
        #expect(client.attempt(2) == nil, "the channel is not open")
        open(&client, applied: 1)
        #expect(client.attempt(2)?.number == 2)
        #expect(client.inFlight == [2])
        #expect(!client.isSettled(2))
        client.receive(acknowledgement: 2, revision: 1)
        #expect(client.isSettled(2))
        #expect(client.attempt(2) == nil)
        #expect(client.inFlight == [])
        #expect(client.attempt(3)?.number == 3)
        #expect(client.inFlight == [3])
    }

    @Test("Waiting events are sent when no isolated events are left, and later events at once")
    func releaseHeld() {
        var client = held()
        open(&client, applied: 1)
        _ = client.send([4], promise: 4)
        _ = client.attempt(2)
        client.receive(acknowledgement: 2, revision: 1)
        _ = client.attempt(3)
        client.receive(acknowledgement: 3, revision: 1)
        #expect(client.releaseHeld().map(\.number) == [4])
        guard case .transmit(5) = client.send([5], promise: 5) else {
            Issue.record("it waits")
            return
        }
        #expect(client.inFlight == [4, 5])
    }

    @Test("Without isolated retries no event waits, and none is sent again")
    func nothingHeld() {
        var client = State()
        open(&client, applied: 0)
        for promise in 1...3 { _ = client.send([UInt8(promise)], promise: promise) }
        #expect(client.releaseHeld().isEmpty)
        #expect(client.inFlight == [1, 2, 3])
    }

    @Test(
        "An event that is cancelled while it waits ends and is not sent again, and one that is out is cancelled there"
    )
    func cancelledWhileItWaits() {
        var client = held()
        open(&client, applied: 1)
        guard case .end = client.cancel(3) else {
            Issue.record("the event waits for its turn although it was cancelled")
            return
        }
        _ = client.attempt(2)
        guard case .transmit = client.cancel(2) else {
            Issue.record("the cancellation was not sent")
            return
        }
        client.receive(acknowledgement: 2, revision: 1)
        #expect(client.attempt(3) == nil)
    }

    @Test("A removed event has ended, and later events continue")
    func takeOut() {
        var client = held()
        let entry = client.takeOut(2)
        #expect(entry?.promise == 2)
        #expect(entry?.action == [2])
        #expect(client.takeOut(2) == nil)
        #expect(client.acknowledged == 2)
        open(&client, applied: 1)
        #expect(client.attempt(2) == nil)
        #expect(client.attempt(3)?.number == 3)
    }
}
