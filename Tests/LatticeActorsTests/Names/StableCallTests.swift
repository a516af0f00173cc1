import Distributed
import LatticeActors
import LatticeCalls
import LatticeTestSupport
import LatticeWire
import Testing

/// Calls of an actor whose module and type have another name at the caller: the compiler's names would find nothing.
@Suite(.timeLimit(.minutes(10))) struct StableCallTests {
    private static func with(
        _ way: Way = .coordinatorToWorker,
        _ body: (_ caller: LatticeActorSystem, _ remote: Calling.Clerk, _ local: Served.Clerk) async throws -> Void
    ) async throws {
        try await ActorNet.with(way.roles) { net in
            let local = try net.systems[way.callee].host("clerk") { Served.Clerk(actorSystem: $0) }
            let caller = net.systems[way.caller]
            let remote = try await caller.resolve(Calling.Clerk.self, named: "clerk", within: .seconds(100))
            try await body(caller, remote, local)
        }
    }

    @Test(arguments: Way.allCases) func anActorOfAnotherModuleIsReached(_ way: Way) async throws {
        try await Self.with(way) { caller, remote, local in
            for system in [caller, local.actorSystem] { system.register(errors: Desk.SoldOut.self) }
            // It has one more parameter there.
            let greeting = try await remote.greet("Ann")
            #expect(greeting == "hello, Ann")
            try await remote.begin(1)
            let count = try await remote.count
            #expect(count == 1)
            await #expect(throws: Desk.SoldOut(left: 3)) { try await remote.sell(left: 3) }
            let error = await #expect(throws: ActorCallError.self) { try await remote.tell() }
            #expect(error?.code == .threw && error?.errorType == "LatticeActorsTests.Desk.Secret")
            var numbers: [Int] = []
            for try await number in try await remote.numbers(to: 1_000) { numbers.append(number) }
            #expect(numbers == Array(0..<1_000))
        }
    }

    @Test func methodsWithoutATableAreCalledByTheCompilersName() async throws {
        try await Self.with { caller, remote, local in
            let error = await #expect(throws: ActorCallError.self) { try await remote.unlisted() }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            let same = try await caller.resolve(Served.Clerk.self, named: "clerk")
            let value = try await same.unlisted()
            #expect(value == 7)
            // One is in the table, and the other one has its name.
            let sum = try await same.add(1, to: 2)
            let text = try await same.add("a", to: "b")
            #expect(sum == 3 && text == "ba")
        }
    }

    @Test func callsBeginInTheirOrder() async throws {
        for way in [Way.coordinatorToWorker, .clientToWorker] {
            try await Self.with(way) { _, remote, local in
                let priorities: [TaskPriority] = [.background, .high, .medium, .low]
                let calls = (0..<400).map { number in
                    Task.immediate(priority: priorities[number % 4]) { try await remote.begin(number) }
                }
                for call in calls { try await call.value }
                let order = try await local.order()
                #expect(order == Array(0..<400))
            }
        }
    }

    @Test func callsWithoutAnswersToo() async throws {
        try await Self.with { caller, remote, _ in
            let oneWay = try remote.oneWay
            for number in 0..<100 { try await oneWay.begin(number) }
            let order = try await remote.order()
            #expect(order == Array(0..<100))
            #expect(caller.failedOneWayCalls == 0)
        }
    }

    @Test func cancellingTheCallerCancelsTheMethod() async throws {
        try await Self.with { _, remote, _ in
            let gate = Gates.makeName()
            let call = Task { try await remote.wait(at: gate) }
            try await Gates.untilArrived(gate)
            call.cancel()
            try await Gates.untilCancelled(gate)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func deadlinesTravel() async throws {
        try await Self.with(.clientToWorker) { _, remote, _ in
            let (without, with) = (
                try await remote.deadline(), try await withDeadline(.now + .seconds(60)) { try await remote.deadline() }
            )
            #expect(!without && with)
            try await Gates.untilTooLate { gate, limit in
                let error = await #expect(throws: ActorCallError.self) {
                    try await withDeadline(.now + limit) { try await remote.wait(at: gate) }
                }
                #expect(error?.code == .deadlinePassed)
            }
        }
    }

    @Test func aProtocolIsEnough() async throws {
        try await ActorNet.with { net in
            let local = try net.systems[1].host("waiter") { QuickWaiter(actorSystem: $0) }
            let waiter = try await net.hub.resolve($Waiter.self, named: "waiter", within: .seconds(100))
            let dish = try await waiter.serve("soup")
            let tables = try await waiter.tables
            #expect(dish == "soup, at once" && tables == 4)
            let own = try await net.systems[1].resolve($Waiter.self, named: "waiter")
            let other = try await own.serve("tea")
            #expect(other == "tea, at once")
            try net.systems[1].host("steward") { Steward(actorSystem: $0) }
            let steward = try await net.hub.resolve($Waiter.self, named: "steward", within: .seconds(100))
            let toast = try await steward.serve("toast")
            let count = try await steward.tables
            #expect(toast == "toast, sir" && count == 9)
            // As the compiler names it.
            let plain = try QuickWaiter.resolve(id: local.id, using: net.hub)
            let same = try await plain.serve("rice")
            #expect(same == "rice, at once")
        }
    }

    @Test func privateActorsAreCalledByTheirTables() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("shy") { ShyClerk(actorSystem: $0) }
            let shy = try await net.hub.resolve(ShyClerk.self, named: "shy", within: .seconds(100))
            let greeting = try await shy.greet("Ann")
            #expect(greeting == "hm, Ann")
        }
    }

    @Test func genericActorsHaveATableForEachType() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("crate") { Crate<Int>(actorSystem: $0) }
            let crate = try await net.hub.resolve(Crate<Int>.self, named: "crate", within: .seconds(100))
            let value = try await crate.put(7)
            #expect(value == 7)
            let error = await #expect(throws: ActorCallError.self) {
                try await net.hub.resolve(Crate<String>.self, named: "crate")
            }
            #expect(error?.code == .unknownMethod)
        }
    }

    @Test func referencesSayThatThereIsATable() async throws {
        try await ActorNet.with([.client, .worker]) { net in
            let mine = Served.Clerk(actorSystem: net.systems[1])
            try net.systems[2].host("clerk") { Served.Clerk(actorSystem: $0) }
            let remote = try await net.systems[1].resolve(Served.Clerk.self, named: "clerk", within: .seconds(100))
            let greeting = try await remote.ask(mine)
            #expect(greeting == "hello, Ann")
            // Another type's, which only the table makes the same.
            let other = try Calling.Clerk.resolve(id: mine.id, using: net.systems[2])
            let same = try await other.greet("Bob")
            #expect(same == "hello, Bob")
        }
    }

    @Test("A method that is not in the table is not called, and the error names it")
    func unknownNames() async throws {
        try await ActorNet.with { net in
            let clerk = Served.Clerk(actorSystem: net.systems[1])
            let desk = Desk(actorSystem: net.systems[1])
            func ask(_ actor: UInt64, _ method: String, _ arguments: [UInt8] = []) async -> CallOutcome {
                var call = OutgoingCall(to: actor, of: net.net.leaves[0].node.id, method: method)
                call.arguments = arguments
                return await net.net.hub.ask(call)
            }
            let unknown = await ask(clerk.id.number, "dismiss(at:)")
            #expect(unknown.code == .noMethod)
            #expect(
                unknown.failure?.reason
                    == "the actor Clerk of the worker 0 has no dismiss(at:) in its table; it has: add(_:to:), ask(_:),"
                    + " begin(_:), count(), deadline(), greet(_:), greet(_:loudly:), numbers(to:), order(), prices(),"
                    + " sell(left:), tell(), wait(at:)"
            )
            let none = await ask(desk.id.number, "nothing()")
            #expect(none.code == .noMethod)
            #expect(
                none.failure?.reason
                    == "the actor Desk of the worker 0 has no table of stable names, where nothing() would be"
            )
            let undecodable = await ask(clerk.id.number, "greet(_:loudly:)", [0x61, 0x61, 0x01])
            #expect(undecodable.code == .undecodable)
            #expect(
                undecodable.failure?.reason
                    == "argument 2 of greet(_:loudly:) cannot be read as Bool by the worker 0; build both programs from the"
                    + " same source: at its top: The value at byte 0 is an unsigned integer, not a boolean."
            )
        }
    }
}

private distributed actor ShyClerk: StableNamed {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { "hm, \(name)" }
    static var stableMethods: [StableMethod] {
        [StableMethod("greet(_:)") { (actor: isolated Self, name: String) in actor.greet(name) }]
    }
}
