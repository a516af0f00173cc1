import Distributed
import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct OneWayTests {
    @Test(arguments: Way.allCases) func callsBeginInOrderAmongOthers(_ way: Way) async throws {
        try await way.with { _, remote, local in
            let oneWay = try remote.oneWay
            for number in 0..<2_500 {
                if number.isMultiple(of: 100) { try await remote.begin(number) } else { try await oneWay.begin(number) }
            }
            let order = try await remote.order()
            #expect(order == Array(0..<2_500))
            #expect(try remote.oneWay == remote && local.oneWay === local)
        }
    }

    @Test func failedOneWayCallsAreCounted() async throws {
        try await Way.clientToWorker.with { caller, remote, _ in
            try await remote.oneWay.fail()
            try await remote.oneWay.nothing()
            try await remote.nothing()
            try await poll { caller.failedOneWayCalls == 1 }
            let counted = try await remote.counted
            #expect(counted == 2)
        }
    }

    @Test func methodsWithAResultAreRefused() async throws {
        try await Way.coordinatorToWorker.with { _, remote, _ in
            let error = await #expect(throws: ActorCallError.self) { _ = try await remote.oneWay.add(1, to: 2) }
            #expect(error?.code == .refused && error?.delivery == .notSent)
            #expect(error?.message.hasSuffix("call the actor itself, and not its oneWay") == true)
        }
    }

    @Test func oneWayCallsThatAreNotSentThrow() async throws {
        try await ActorNet.with([.client, .worker]) { net in
            try net.systems[2].host("desk") { Desk(actorSystem: $0) }
            let remote = try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
            net.net.leaves[0].session.abort(.violation("it is over"))
            try await net.net.leaves[0].ended.until { $0 != nil }
            let error = await #expect(throws: ActorCallError.self) { try await remote.oneWay.nothing() }
            #expect(error?.delivery == .notSent)
            let late = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now) { try await remote.oneWay.nothing() }
            }
            #expect(late?.code == .deadlinePassed && late?.delivery == .notSent)
            #expect(net.systems[1].failedOneWayCalls == 0)
        }
    }

    @Test func oneThatFindsNoRoomWaitsForIt() async throws {
        try await Way.clientToWorker.with { _, remote, _ in
            let gate = Gates.makeName()
            let oneWay = try remote.oneWay
            for _ in 0..<1_024 { try await oneWay.pass(gate) }
            let late = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now + .milliseconds(50)) { try await oneWay.nothing() }
            }
            #expect(late?.code == .deadlinePassed && late?.delivery == .notSent)
            #expect(late?.message.hasSuffix("1024 calls were in progress until its deadline") == true)
            let cancelled = Task { try await oneWay.nothing() }
            let waiting = Task { try await oneWay.nothing() }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let counted = try await remote.counted
            #expect(counted == 0)
            Gates.open(gate)
            try await waiting.value
            try await poll { try await remote.counted == 1 }
        }
    }

    @Test func actorsDoNotShareTheirRoom() async throws {
        try await Way.coordinatorToWorker.with { caller, remote, local in
            let other = try local.actorSystem.host("other") { Desk(actorSystem: $0) }
            let gate = Gates.makeName()
            for _ in 0..<1_024 { try await remote.oneWay.pass(gate) }
            let free = try await caller.resolve(Desk.self, named: "other", within: .seconds(100))
            try await free.oneWay.nothing()
            try await poll { try await other.counted == 1 }
            Gates.open(gate)
        }
    }
}
