import Distributed
import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

/// Calls of a pool whose methods run on although their callers have given up.
@Suite(.timeLimit(.minutes(10))) struct HangingCallTests {
    private static func with(
        _ workers: Int,
        callsPerActor: Int = 1,
        cancelTimeout: Duration = .seconds(120),
        _ body: (ActorNet, ActorPool<Desk>) async throws -> Void
    ) async throws {
        let roles = [.client] + Array(repeating: Role.worker, count: workers)
        try await ActorNet.with(roles, cancelTimeout: cancelTimeout) { net in
            for system in net.systems.dropFirst(2) { try system.host("desk") { Desk(actorSystem: $0) } }
            try await net.systems[1].withPool(of: Desk.self, named: "desk", callsPerActor: callsPerActor) { pool in
                try await poll { pool.members.count == workers }
                try await body(net, pool)
            }
        }
    }

    /// Makes a call that hangs, and returns when its caller has given up.
    private static func hang(
        _ pool: ActorPool<Desk>,
        key: String? = nil
    ) async throws -> (gate: String, member: LatticeActorID) {
        var limit = Duration.milliseconds(50)
        while true {
            let gate = Gates.makeName()
            let member = Watched<LatticeActorID?>(nil)
            let error = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now + limit) {
                    try await pool.call(key: key) { desk in
                        member.change { $0 = desk.id }
                        return try await desk.stubborn(at: gate)
                    }
                }
            }
            #expect(error?.code == .deadlinePassed)
            if Gates.arrivals(gate) > 0, let id = member.value { return (gate, id) }
            // The machine is busy: the method had not begun by then.
            Gates.open(gate)
            limit = limit * 4
        }
    }

    /// Returns the error message of a call with a short deadline, which must find no room.
    private static func findsNoRoom(_ pool: ActorPool<Desk>, key: String? = nil) async throws -> String {
        let error = await #expect(throws: ActorCallError.self) {
            try await withDeadline(.now + .milliseconds(20)) {
                try await pool.call(key: key) { try await $0.add(1, to: 1) }
            }
        }
        #expect(error?.code == .deadlinePassed && error?.delivery == .notSent)
        return error?.message ?? ""
    }

    @Test("A call that hangs keeps its slot, and later calls go to actors that answer")
    func othersAnswer() async throws {
        try await Self.with(2) { _, pool in
            let (gate, hanging) = try await Self.hang(pool)
            for number in 0..<9 {
                let (sum, member) = try await pool.call { (try await $0.add(number, to: 1), $0.id) }
                #expect(sum == number + 1 && member != hanging)
            }
            // It has answered, and gets calls again.
            Gates.open(gate)
            let both = Gates.makeName()
            let calls = (0..<2).map { _ in Task { try await pool.call { try await $0.wait(at: both) } } }
            try await Gates.untilArrived(both, count: 2)
            Gates.open(both)
            for call in calls { _ = try await call.value }
        }
    }

    @Test("A call waits while no actor answers, and its deadline error says why")
    func noneAnswers() async throws {
        try await Self.with(2) { _, pool in
            let first = try await Self.hang(pool)
            let second = try await Self.hang(pool)
            #expect(first.member != second.member)
            let message = try await Self.findsNoRoom(pool)
            #expect(
                message
                    == "no actor \"desk\" had room for the call before its deadline: 2 of 2 still run calls whose callers"
                    + " have given up, and get no calls before they answer; set WorkerLimits.callTimeout to have such workers"
                    + " ended"
            )
            let waiting = Task { try await pool.call { (try await $0.add(1, to: 1), $0.id) } }
            Gates.open(second.gate)
            let (sum, member) = try await waiting.value
            #expect(sum == 2 && member == second.member)
            Gates.open(first.gate)
        }
    }

    @Test("An actor that does not answer gets no calls although it has room, and gets calls again once it answers")
    func silence() async throws {
        try await Self.with(1, callsPerActor: 3) { _, pool in
            let other = Gates.makeName()
            let running = Task { try await pool.call { try await $0.wait(at: other) } }
            try await Gates.untilArrived(other)
            let hanging = try await Self.hang(pool)
            _ = try await Self.findsNoRoom(pool)
            // The actor answers another call, so it is alive.
            Gates.open(other)
            _ = try await running.value
            let sum = try await pool.call { try await $0.add(1, to: 1) }
            #expect(sum == 2)
            Gates.open(hanging.gate)
        }
    }

    @Test("Calls of one key wait behind a hanging call of that key, and calls of other keys do not")
    func keys() async throws {
        try await Self.with(2) { _, pool in
            let (gate, _) = try await Self.hang(pool, key: "a")
            _ = try await Self.findsNoRoom(pool, key: "a")
            let other = try await pool.call(key: "b") { try await $0.add(1, to: 1) }
            #expect(other == 2)
            Gates.open(gate)
            let same = try await pool.call(key: "a") { try await $0.add(2, to: 2) }
            #expect(same == 4)
        }
    }

    @Test("A cancelled call keeps its slot while its method runs, and so does a one-way call")
    func cancelledAndOneWay() async throws {
        try await Self.with(1, cancelTimeout: .milliseconds(20)) { _, pool in
            let gate = Gates.makeName()
            let call = Task { try await pool.call { try await $0.stubborn(at: gate) } }
            try await Gates.untilArrived(gate)
            call.cancel()
            let error = await #expect(throws: ActorCallError.self) { try await call.value }
            #expect(error?.code == .cancelled)
            _ = try await Self.findsNoRoom(pool)
            Gates.open(gate)
            let second = Gates.makeName()
            try await pool.call { try await $0.oneWay.pass(second) }
            try await Gates.untilArrived(second)
            _ = try await Self.findsNoRoom(pool)
            Gates.open(second)
            let sum = try await pool.call { try await $0.add(1, to: 1) }
            #expect(sum == 2)
        }
    }

    @Test("A hanging call frees its slot when its process ends")
    func itsProcessEnds() async throws {
        try await Self.with(2) { net, pool in
            let (gate, hanging) = try await Self.hang(pool)
            let leaf = try #require(net.net.leaves.dropFirst().first { "\(hanging)".contains($0.node.title) })
            leaf.hubSession.connection.close()
            try await poll { pool.members.count == 1 }
            let member = try await pool.call { desk in
                try await desk.nothing()
                return desk.id
            }
            #expect(member != hanging)
            Gates.open(gate)
        }
    }

    @Test("A worker that leaves one call unanswered beyond the limit is found, however many others it answers")
    func overdue() async throws {
        try await ActorNet.with { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let remote = try Desk.resolve(id: desk.id, using: net.hub)
            let (gate, passed) = (Gates.makeName(), Watched(0))
            let session = net.net.leaves[0].hubSession
            let call = Task { try await remote.wait(at: gate) }
            try await Gates.untilArrived(gate)
            session.eventLoop.execute {
                net.net.hub.watchCalls(over: session, timeout: .milliseconds(50)) { passed.change { $0 += 1 } }
            }
            while passed.value == 0 { _ = try await remote.add(1, to: 1) }
            #expect(passed.value == 1)
            Gates.open(gate)
            _ = try await call.value
        }
    }

    // MARK: Without a coordinator

    @Test("A pool whose client has given up on its coordinator ends its calls with that reason")
    func coordinatorIsGivenUp() async throws {
        try await ActorNet.with([.client]) { net in
            try await net.systems[1].withPool(of: Desk.self, named: "desk") { pool in
                let waiting = Task { try await pool.call { try await $0.add(1, to: 1) } }
                let leaf = net.net.leaves[0]
                leaf.session.connection.close()
                try await leaf.ended.until { $0 != nil }
                leaf.node.loseHub(because: "the coordinator at \"x\" is gone")
                for _ in 0..<2 {
                    let error = await #expect(throws: ActorCallError.self) { try await waiting.value }
                    #expect(error?.code == .unknownProcess && error?.delivery == .notSent)
                    #expect(error?.message.contains("\"x\" is gone") == true)
                }
                let later = await #expect(throws: ActorCallError.self) {
                    try await pool.call { try await $0.add(1, to: 1) }
                }
                #expect(later?.code == .unknownProcess)
                let name = await #expect(throws: ActorCallError.self) {
                    try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
                }
                #expect(name?.code == .unknownProcess && name?.message.contains("\"x\" is gone") == true)
            }
        }
    }

    @Test("A pool without a connection to a coordinator waits for one up to its limit")
    func connectionTimeout() async throws {
        let system = LatticeActorSystem(ActorNodes.leaf())
        let limit = Duration.milliseconds(50)
        try await system.withPool(of: Desk.self, named: "desk", connectionTimeout: limit) { pool in
            for _ in 0..<2 {
                let error = await #expect(throws: ActorCallError.self) {
                    try await pool.call { try await $0.add(1, to: 1) }
                }
                #expect(error?.code == .unknownProcess && error?.delivery == .notSent)
                #expect(
                    error?.message
                        == "no actor \"desk\" can be reached: the worker has had no connection to a coordinator for 0.05"
                        + " seconds, which is the timeout of the pool; check whether the coordinator runs"
                )
            }
        }
    }
}
