import Distributed
import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct ActorPoolTests {
    /// A client with a pool of the actors of some workers.
    private static func with(
        _ workers: Int,
        callsPerActor: Int = 1,
        _ body: (ActorNet, ActorPool<Desk>) async throws -> Void
    ) async throws {
        try await ActorNet.with([.client] + Array(repeating: .worker, count: workers)) { net in
            for system in net.systems.dropFirst(2) { try system.host("desk") { Desk(actorSystem: $0) } }
            try await net.systems[1].withPool(of: Desk.self, named: "desk", callsPerActor: callsPerActor) { pool in
                try await poll { pool.members.count == workers }
                try await body(net, pool)
            }
        }
    }

    @Test func callsSpreadOverAllActorsWithTheName() async throws {
        try await Self.with(3) { net, pool in
            let gate = Gates.makeName()
            let calls = (0..<3).map { _ in Task { try await pool.call { try await $0.wait(at: gate) } } }
            // As each runs one at a time, all three are at work.
            try await Gates.untilArrived(gate, count: 3)
            Gates.open(gate)
            for call in calls { _ = try await call.value }
            let sums = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 { group.addTask { try await pool.call { try await $0.add(number, to: 1) } } }
                return try await group.reduce(0, +)
            }
            #expect(sums == (1...200).reduce(0, +))
        }
    }

    @Test func aCallThatHasNotBegunIsMadeElsewhere() async throws {
        try await Self.with(2) { net, pool in
            let dying = net.net.leaves[1].hubSession
            let gate = Gates.makeName()
            let first = (0..<2).map { _ in Task { try await pool.call { try await $0.wait(at: gate) } } }
            try await Gates.untilArrived(gate, count: 2)
            let waiting = (0..<20).map { number in Task { try await pool.call { try await $0.add(number, to: 0) } } }
            dying.connection.close()
            Gates.open(gate)
            for (number, call) in waiting.enumerated() {
                let sum = try await call.value
                #expect(sum == number)
            }
            var lost = 0
            for call in first {
                do {
                    _ = try await call.value
                } catch let error as ActorCallError {
                    // It may have begun, which only its caller can judge.
                    #expect(error.code == .lost && error.delivery == .mayHaveBegun)
                    lost += 1
                }
            }
            #expect(lost <= 1)
            try await poll { pool.members.count == 1 }
        }
    }

    @Test func laterActorsTakePart() async throws {
        try await ActorNet.with([.worker, .worker]) { net in
            try await net.hub.withPool(of: Desk.self, named: "desk") { pool in
                let early = Task { try await pool.call { try await $0.add(1, to: 1) } }
                try net.systems[1].host("desk") { Desk(actorSystem: $0) }
                let sum = try await early.value
                #expect(sum == 2)
                try net.systems[2].host("desk") { Desk(actorSystem: $0) }
                try await poll { pool.members.count == 2 }
                net.systems[1].withdraw("desk")
                try await poll { pool.members.count == 1 }
                let other = try await pool.call { try await $0.add(2, to: 2) }
                #expect(other == 4)
            }
        }
    }

    @Test func callsOfOneKeyKeepTheirOrder() async throws {
        try await Self.with(3, callsPerActor: 4) { net, pool in
            let order = Watched<[Int]>([])
            let calls = (0..<60).map { number in
                Task.immediate {
                    try await pool.call(key: "one") { desk in
                        _ = try await desk.add(number, to: 0)
                        order.change { $0.append(number) }
                    }
                }
            }
            for call in calls { try await call.value }
            #expect(order.value == Array(0..<60))
        }
    }

    @Test func waitingCallsCanBeCancelledAndHaveADeadline() async throws {
        try await ActorNet.with { net in
            try await net.hub.withPool(of: Desk.self, named: "desk") { pool in
                let waiting = Task { try await pool.call { try await $0.add(1, to: 1) } }
                await Task.yield()
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                let late = await #expect(throws: ActorCallError.self) {
                    try await withDeadline(.now + .milliseconds(20)) {
                        try await pool.call { try await $0.add(1, to: 1) }
                    }
                }
                #expect(late?.code == .deadlinePassed && late?.delivery == .notSent)
                #expect(
                    late?.message
                        == "no actor \"desk\" had room for the call before its deadline: no process serves it; start one,"
                        + " or give the call more time"
                )
                // Calls that come later are not blocked.
                try net.systems[1].host("desk") { Desk(actorSystem: $0) }
                let sum = try await pool.call { try await $0.add(1, to: 1) }
                #expect(sum == 2)
            }
        }
    }

    @Test("The error of a method's own call is thrown to the caller, and the pool does not retry the method")
    func errorsOfOthers() async throws {
        try await ActorNet.with { net in
            let own = try net.hub.host("desk") { Desk(actorSystem: $0) }
            var gone: Desk? = Desk(actorSystem: net.systems[1])
            let remote = try Desk.resolve(id: try #require(gone).id, using: net.hub)
            gone = nil
            try await net.hub.withPool(of: Desk.self, named: "desk") { pool in
                let error = await #expect(throws: ActorCallError.self) {
                    try await pool.call { desk in
                        try await desk.nothing()
                        return try await desk.ask(remote, 1, 2)
                    }
                }
                #expect(error?.code == .unknownActor)
                let count = try await own.counted
                #expect(count == 1)
            }
        }
    }

    @Test func aPoolThatHasEndedTakesNothing() async throws {
        try await ActorNet.with { net in
            let escaped = Watched<[ActorPool<Desk>]>([])
            try await net.hub.withPool(of: Desk.self, named: "desk") { pool in escaped.change { $0 = [pool] } }
            try await poll {
                do {
                    return try await withDeadline(.now + .milliseconds(20)) {
                        try await escaped.value[0].call { try await $0.add(1, to: 1) } == 2
                    }
                } catch let error as ActorCallError {
                    return error.code == .refused
                }
            }
        }
    }

    @Test func errorsOfTheMethodAreTheCallers() async throws {
        try await Self.with(1) { net, pool in
            for system in net.systems { system.register(errors: Desk.SoldOut.self) }
            await #expect(throws: Desk.SoldOut(left: 1)) { try await pool.call { try await $0.sell(left: 1) } }
            let sum = try await pool.call { try await $0.add(1, to: 1) }
            #expect(sum == 2)
        }
    }
}
