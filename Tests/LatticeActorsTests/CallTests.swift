import Distributed
import LatticeActors
import LatticeCore
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct CallTests {
    @Test(arguments: Way.allCases) func argumentsAndResultsArriveAsTheyAre(_ way: Way) async throws {
        try await way.with { _, remote, local in
            let form = Desk.Form(name: "Ä", numbers: [1, -2, 3], picture: [0, 255])
            let value1 = try await remote.echo(form)
            #expect(value1 == form)
            let value2 = try await remote.add(40, to: 2)
            #expect(value2 == 42)
            try await remote.nothing()
            let value3 = try await remote.counted
            #expect(value3 == 1)
            let value4 = try await local.counted
            #expect(value4 == 1)
        }
    }

    @Test func overSocketsToo() async throws {
        try await Way.clientToWorker.with(over: .socketPair) { _, remote, _ in
            let value5 = try await remote.add(1, to: 2)
            #expect(value5 == 3)
            let value6 = try await remote.large(3_000_000)
            #expect(value6.count == 3_000_000)
            let value7 = try await remote.size(of: [UInt8](repeating: 1, count: 3_000_000))
            #expect(value7 == 3_000_000)
        }
    }

    @Test(arguments: Way.allCases) func errorsArriveAsValuesIfTheirTypeIsRegistered(_ way: Way) async throws {
        try await way.with { caller, remote, local in
            for system in [caller, local.actorSystem] { system.register(errors: Desk.SoldOut.self) }
            await #expect(throws: Desk.SoldOut(left: 3)) { try await remote.sell(left: 3) }
            await #expect(throws: Desk.SoldOut(left: 0)) { try await remote.typed() }
        }
    }

    @Test func errorsThatAreNotRegisteredAreRedacted() async throws {
        try await Way.coordinatorToWorker.with { _, remote, _ in
            let error = await #expect(throws: ActorCallError.self) { try await remote.tell() }
            #expect(error?.code == .threw && error?.delivery == .mayHaveBegun)
            #expect(error?.errorType == "LatticeActorsTests.Desk.Secret")
            #expect(error?.description.contains("1234") == false)
        }
    }

    @Test(arguments: Way.allCases) func theEventAndTheTraceTravel(_ way: Way) async throws {
        try await way.with { caller, remote, _ in
            let none = try await remote.context()
            #expect(none == ["no event"])
            let name = "tally/00000000000000000000000000000001/3/17"
            var trace = TraceContext()
            trace["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            trace["baggage"] = "a=b"
            let expected = [
                name, "baggage=a=b", "traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            ]
            let mine = Desk(actorSystem: caller)
            try await TaskSubject.$current.withValue(.call(EventID(name))) {
                try await trace.withCurrent {
                    let context = try await remote.context()
                    #expect(context == expected)
                    let second = try await remote.context(of: mine)
                    #expect(second == expected)
                }
            }
        }
    }

    @Test func referencesTravel() async throws {
        try await ActorNet.with([.client, .worker]) { net in
            let mine = Desk(actorSystem: net.systems[1])
            try net.systems[2].host("desk") { Desk(actorSystem: $0) }
            let remote = try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
            // The worker calls the client's actor, by way of the coordinator.
            let value8 = try await remote.ask(mine, 2, 3)
            #expect(value8 == 5)
            let same = try await remote.myself()
            #expect(same == remote && same.id == remote.id)
            let value9 = try await same.add(1, to: 1)
            #expect(value9 == 2)
        }
    }

    @Test func aProtocolIsEnoughToCall() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("greeter") { FriendlyGreeter(actorSystem: $0) }
            let greeter = try await net.hub.resolve($Greeter.self, named: "greeter", within: .seconds(100))
            let value10 = try await greeter.greet("Ann")
            #expect(value10 == "hello, Ann")
            // Actors of this process are found, too.
            let own = try await net.systems[1].resolve($Greeter.self, named: "greeter")
            let value11 = try await own.greet("Bob")
            #expect(value11 == "hello, Bob")
        }
    }

    @Test func genericMethodsTakeRegisteredTypes() async throws {
        try await Way.coordinatorToWorker.with { _, remote, local in
            try local.actorSystem.register(types: Int.self)
            let value12 = try await remote.same(7)
            #expect(value12 == 7)
            let error = await #expect(throws: ActorCallError.self) { try await remote.same("x") }
            #expect(error?.code == .undecodable && error?.delivery == .notSent)
        }
    }

    @Test func callsOfTheSameProcessArePlain() async throws {
        let system = LatticeActorSystem()
        let desk = try system.host("desk") { Desk(actorSystem: $0) }
        let found = try await system.resolve(Desk.self, named: "desk")
        #expect(found === desk)
        // Unregistered errors also arrive.
        await #expect(throws: Desk.Secret.self) { try await found.tell() }
    }

    @Test("Calls of one process begin in the order in which they were made, whatever the caller's priority")
    func callsBeginInTheirOrder() async throws {
        for way in [Way.coordinatorToWorker, .clientToWorker] {
            try await way.with { _, remote, local in
                let priorities: [TaskPriority] = [.background, .high, .medium, .low]
                // Each has made its call when the next one begins.
                let calls = (0..<400).map { number in
                    Task.immediate(priority: priorities[number % 4]) { try await remote.begin(number) }
                }
                for call in calls { try await call.value }
                let order = try await local.order()
                #expect(order == Array(0..<400))
            }
        }
    }

    @Test func callsOfOneTaskBeginInItsOrderBesideOthers() async throws {
        try await Way.coordinatorToWorker.with { _, remote, local in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for caller in 0..<8 {
                    group.addTask(priority: caller.isMultiple(of: 2) ? .background : .high) {
                        for number in 0..<100 { try await remote.begin(caller * 1_000 + number) }
                    }
                }
                try await group.waitForAll()
            }
            let order = try await local.order()
            for caller in 0..<8 {
                #expect(order.filter { $0 / 1_000 == caller } == (0..<100).map { caller * 1_000 + $0 })
            }
        }
    }

    @Test func callsInterleaveWhereTheActorAwaits() async throws {
        try await Way.coordinatorToWorker.with { _, remote, _ in
            let gate = Gates.makeName()
            async let waiting = remote.wait(at: gate)
            try await Gates.untilArrived(gate)
            let value14 = try await remote.add(1, to: 2)
            #expect(value14 == 3)
            Gates.open(gate)
            #expect(try await waiting == gate)
        }
    }
}
