import LatticeWire
import Testing

@testable import LatticeCalls

/// Tokens stand for tasks.
@Suite struct CallTableTests {
    private typealias Table = CallTable<String, String>

    private static let own = NodeID(1)
    private static let (worker, client) = (NodeID(2), NodeID(3))

    /// The coordinator's, with a worker and a client.
    private static func hub() -> (table: Table, worker: SessionID, client: SessionID) {
        var table = Table(own: own)
        let sessions = (table.open(to: worker, isUplink: false), table.open(to: client, isUplink: false))
        return (table, sessions.0, sessions.1)
    }

    @Test func numbersAscendPerSession() throws {
        var (table, worker, _) = Self.hub()
        #expect(try table.send("a", to: Self.worker) == (worker, 1))
        #expect(try table.send("b", to: Self.worker) == (worker, 2))
        guard case .own("b") = try table.receive(reply: 2, on: worker) else {
            Issue.record("another step")
            return
        }
        #expect(table.count(on: worker).sent == 1)
    }

    @Test func anUnlistedSessionIsNoUplinkButStillAnswers() throws {
        var table = Table(own: Self.own)
        let hub = table.open(to: NodeID(9), isUplink: true)
        #expect(try table.send("a", to: NodeID(9)) == (hub, 1))
        table.unlist(hub)
        #expect(table.uplink == nil && table.isOpen(hub))
        guard case .own("a") = try table.receive(reply: 1, on: hub) else {
            Issue.record("another step")
            return
        }
        let next = table.open(to: NodeID(9), isUplink: true)
        table.unlist(hub)
        #expect(table.uplink == next)
    }

    @Test func aDrainingNodeGetsNoCallsButStillAnswers() throws {
        var (table, worker, client) = Self.hub()
        #expect(try table.send("a", to: Self.worker) == (worker, 1))
        table.drain(worker)
        #expect(throws: CallRefusal.draining) { try table.send("b", to: Self.worker) }
        #expect(try table.receive(call: 5, for: Self.worker, on: client) == .refuse(.draining))
        #expect(!table.takesCalls(worker) && table.isOpen(worker))
        #expect(try table.send("last", to: Self.worker, .node) == (worker, 2))
        #expect(
            try table.receive(call: 6, for: Self.worker, .node, on: client)
                == .passOn(worker, call: 3, isCancelled: false)
        )
        #expect(try table.receive(call: 1, for: nil, on: worker) == .run(isCancelled: false))
        guard case .own("a") = try table.receive(reply: 1, on: worker) else {
            Issue.record("another step")
            return
        }
        _ = table.close(worker)
        table.drain(worker)
        #expect(throws: CallRefusal.lost) { try table.send("c", to: Self.worker, .unlimited) }
    }

    @Test func aCallForAnotherNodeIsPassedOnAndSoIsItsAnswer() throws {
        var (table, worker, client) = Self.hub()
        let step = try table.receive(call: 5, for: Self.worker, on: client)
        #expect(step == .passOn(worker, call: 1, isCancelled: false))
        guard case .passOn(worker, call: 1) = try table.receive(cancel: 5, on: client) else {
            Issue.record("another step")
            return
        }
        guard case .passOn(client, call: 5) = try table.receive(reply: 1, on: worker) else {
            Issue.record("another step")
            return
        }
        #expect(table.count(on: client).taken == 0 && table.count(on: worker).sent == 0)
    }

    @Test func aCancelThatOvertakesItsCallHolds() throws {
        var (table, worker, client) = Self.hub()
        guard case .nothing = try table.receive(cancel: 1, on: client) else {
            Issue.record("another step")
            return
        }
        #expect(try table.receive(call: 1, for: nil, on: client) == .run(isCancelled: true))
        _ = try table.receive(cancel: 2, on: client)
        #expect(try table.receive(call: 2, for: Self.worker, on: client) == .passOn(worker, call: 1, isCancelled: true))
    }

    @Test func aCancelBeforeACallBeginsHolds() throws {
        var (table, _, client) = Self.hub()
        #expect(try table.receive(call: 1, for: nil, on: client) == .run(isCancelled: false))
        guard case .new = try table.receive(cancel: 1, on: client) else {
            Issue.record("another step")
            return
        }
        let goesOn2 = table.began(1, on: client, "run")
        #expect(!goesOn2)
        // One of what has ended means nothing.
        #expect(table.finish(1, on: client) && !table.finish(1, on: client))
        guard case .nothing = try table.receive(cancel: 1, on: client) else {
            Issue.record("another step")
            return
        }
    }

    @Test func abandonedCallsEndAndReportWhetherTheyRan() throws {
        var (table, _, client) = Self.hub()
        _ = try table.receive(call: 1, for: nil, on: client)
        _ = table.began(1, on: client, "run")
        let first = table.giveUp(1, on: client)
        #expect(first.isUnderWay && first.run == "run")
        let second = table.giveUp(1, on: client)
        #expect(!second.isUnderWay && second.run == nil)
    }

    @Test func theEndOfASessionEndsCallsInBothDirections() throws {
        var (table, worker, client) = Self.hub()
        _ = try table.receive(call: 1, for: nil, on: client)
        _ = table.began(1, on: client, "run")
        _ = try table.receive(call: 2, for: Self.worker, on: client)
        _ = try table.send("own", to: Self.client)
        let closing = table.close(client)
        #expect(closing.runs == ["run"])
        #expect(closing.passedOn.map(\.session) == [worker] && closing.passedOn.map(\.call) == [1])
        #expect(table.close(client).runs.isEmpty)
        #expect(throws: CallRefusal.lost) { try table.send("late", to: Self.client) }
        let senders = table.forget(client)
        guard senders.count == 1, case .own("own") = senders[0] else {
            Issue.record("another step")
            return
        }
        #expect(throws: CallRefusal.noNode) { try table.send("later", to: Self.client) }
        // The answer to a forwarded call whose caller is gone is dropped.
        guard case .drop = try table.receive(reply: 1, on: worker) else {
            Issue.record("another step")
            return
        }
        #expect(table.lateReplies == 1)
        let isAwaited3 = table.finish(1, on: client)
        #expect(!isAwaited3)
    }

    @Test func theEndOfTheOtherSideReachesTheOriginalCallers() throws {
        var (table, worker, client) = Self.hub()
        _ = try table.receive(call: 7, for: Self.worker, on: client)
        _ = table.close(worker)
        let senders = table.forget(worker)
        guard senders.count == 1, case .session(client, call: 7) = senders[0] else {
            Issue.record("another step")
            return
        }
        #expect(table.count(on: client).taken == 0)
    }

    @Test func aNodeThatDoesNotKnowAllAsksTheOneThatDoes() throws {
        var table = Table(own: Self.worker)
        #expect(throws: CallRefusal.noNode) { try table.send("a", to: Self.client) }
        let up = table.open(to: Self.own, isUplink: true)
        #expect(try table.send("a", to: Self.client) == (up, 1))
        // And passes nothing on itself, or a call could go round in circles.
        #expect(try table.receive(call: 1, for: Self.client, on: up) == .refuse(.noNode))
        #expect(try table.receive(call: 2, for: Self.worker, on: up) == .run(isCancelled: false))
    }

    @Test func aCallIsNotPassedBackToWhereItCameFrom() throws {
        var (table, worker, _) = Self.hub()
        #expect(try table.receive(call: 1, for: Self.worker, on: worker) == .refuse(.noNode))
        #expect(try table.receive(call: 2, for: NodeID(99), on: worker) == .refuse(.noNode))
    }

    @Test func violationsAreNamed() throws {
        var (table, worker, client) = Self.hub()
        _ = try table.receive(call: 4, for: nil, on: client)
        let order = #expect(throws: WireError.self) { try table.receive(call: 4, for: nil, on: client) }
        #expect(order?.sentence == WireError.callOutOfOrder(4, after: 4).sentence)
        let reply = #expect(throws: WireError.self) { try table.receive(reply: 1, on: worker) }
        #expect(reply?.sentence == WireError.unknownCall(1).sentence)
    }

    @Test func aSecondAnswerIsDroppedAndCounted() throws {
        var (table, worker, _) = Self.hub()
        _ = try table.send("a", to: Self.worker)
        _ = try table.receive(reply: 1, on: worker)
        guard case .drop = try table.receive(reply: 1, on: worker) else {
            Issue.record("another step")
            return
        }
        _ = try table.send("b", to: Self.worker)
        #expect(table.waits(2, on: worker))
        table.abandon(2, on: worker)
        #expect(!table.waits(2, on: worker))
        guard case .drop = try table.receive(reply: 2, on: worker) else {
            Issue.record("another step")
            return
        }
        #expect(table.lateReplies == 2)
    }

    @Test func callsInFlightAreBounded() throws {
        var (table, worker, client) = Self.hub()
        for number in 1...UInt64(CallLimits.maximumCalls) {
            _ = try table.send("a", to: Self.worker)
            #expect(try table.receive(call: number, for: nil, on: client) == .run(isCancelled: false))
        }
        #expect(throws: CallRefusal.overloaded) { try table.send("a", to: Self.worker) }
        let next = UInt64(CallLimits.maximumCalls) + 1
        #expect(try table.receive(call: next, for: nil, on: client) == .refuse(.overloaded))
        for number in 1...UInt64(CallLimits.maximumCalls) { _ = try table.receive(cancel: next + number, on: client) }
        let error = #expect(throws: WireError.self) { try table.receive(cancel: .max, on: client) }
        #expect(error?.code == .tooLarge)
        _ = worker
    }
}
