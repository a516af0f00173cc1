import Distributed
import LatticeActors
import LatticeTestSupport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct NameTests {
    @Test func aWaitForANameEndsWhenItIsServed() async throws {
        try await ActorNet.with([.client, .worker]) { net in
            let waiting = Task {
                try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
            }
            let none = await #expect(throws: ActorCallError.self) {
                try await net.systems[1].resolve(Desk.self, named: "desk")
            }
            #expect(none?.code == .unknownName && none?.delivery == .notSent)
            #expect(
                none?.message
                    == "looking for \"desk\": no actor has the name \"desk\"; host one, or wait for its worker to start"
            )
            try net.systems[2].host("desk") { Desk(actorSystem: $0) }
            let desk = try await waiting.value
            let sum = try await desk.add(1, to: 1)
            #expect(sum == 2)
            #expect(desk.id.description == "\"desk\" (actor 1 of the worker 1, incarnation 3)")
        }
    }

    @Test func aWaitIsBounded() async throws {
        try await ActorNet.with { net in
            let error = await #expect(throws: ActorCallError.self) {
                try await net.systems[1].resolve(Desk.self, named: "desk", within: .milliseconds(20))
            }
            #expect(error?.code == .unknownName)
            let late = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now + .milliseconds(20)) {
                    try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100))
                }
            }
            #expect(late?.code == .deadlinePassed && late?.delivery == .notSent)
        }
    }

    @Test func aWaitCanBeCancelled() async throws {
        try await ActorNet.with { net in
            let waiting = Task { try await net.systems[1].resolve(Desk.self, named: "desk", within: .seconds(100)) }
            await Task.yield()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test func severalThatServeANameAreFoundInTurn() async throws {
        try await ActorNet.with([.worker, .worker, .client]) { net in
            for system in net.systems[1...2] { try system.host("desk") { Desk(actorSystem: $0) } }
            var found: [String] = []
            func find() async throws {
                let desk = try await net.systems[3].resolve(Desk.self, named: "desk", within: .seconds(100))
                found.append(desk.id.process)
            }
            // Until both are known.
            try await poll {
                try await find()
                return Set(found).count == 2
            }
            for _ in 0..<6 { try await find() }
            let last = found.suffix(6)
            #expect(Set(last) == ["worker 0", "worker 1"])
            #expect(zip(last, last.dropFirst()).allSatisfy { $0 != $1 })
        }
    }

    @Test func aClientTakesNoNameFromAWorker() async throws {
        try await ActorNet.with([.client, .worker]) { net in
            try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let clients = try await net.hub.resolve(Desk.self, named: "desk", within: .seconds(100))
            #expect(clients.id.process == "client 0")
            try net.systems[2].host("desk") { Desk(actorSystem: $0) }
            try await poll { try await net.hub.resolve(Desk.self, named: "desk").id.process == "worker 1" }
            for _ in 0..<3 {
                let found = try await net.hub.resolve(Desk.self, named: "desk")
                #expect(found.id.process == "worker 1")
            }
        }
    }

    @Test func aNameThatIsWithdrawnIsNotFound() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            _ = try await net.hub.resolve(Desk.self, named: "desk", within: .seconds(100))
            net.systems[1].withdraw("desk")
            // Messages arrive in order, so the earlier message has arrived when this name is known.
            try net.systems[1].host("other") { Desk(actorSystem: $0) }
            _ = try await net.hub.resolve(Desk.self, named: "other", within: .seconds(100))
            let error = await #expect(throws: ActorCallError.self) {
                try await net.hub.resolve(Desk.self, named: "desk")
            }
            #expect(error?.code == .unknownName)
        }
    }

    @Test(arguments: ["", String(repeating: "n", count: 256)])
    func namesHaveALength(_ name: String) {
        let system = LatticeActorSystem()
        let error = #expect(throws: ActorCallError.self) { try system.host(name) { Desk(actorSystem: $0) } }
        #expect(
            error?.message
                == "a name has 1 to 255 bytes, and this one has \(name.utf8.count); choose another name"
        )
    }

    @Test func aNameIsServedOnceByAProcess() throws {
        let system = LatticeActorSystem()
        try system.host("desk") { Desk(actorSystem: $0) }
        let error = #expect(throws: ActorCallError.self) { try system.host("desk") { Desk(actorSystem: $0) } }
        #expect(error?.code == .refused)
    }

    @Test("A wait for a name ends at its limit, however short that is")
    func shortWaits() async throws {
        let system = LatticeActorSystem(ActorNodes.leaf())
        for microseconds in 1...40 {
            await #expect(throws: ActorCallError.self) {
                try await system.resolve(Desk.self, named: "desk", within: .microseconds(microseconds))
            }
        }
    }

    @Test func anActorOfAnotherSystemIsNotHosted() {
        let system = LatticeActorSystem()
        let other = Desk(actorSystem: LatticeActorSystem())
        let error = #expect(throws: ActorCallError.self) { try system.host("desk") { _ in other } }
        #expect(error?.code == .refused)
    }

    @Test func aWithdrawnNameCanBeServedAgain() async throws {
        let system = LatticeActorSystem()
        for _ in 0..<3 {
            let desk = try system.host("desk") { Desk(actorSystem: $0) }
            let found = try await system.resolve(Desk.self, named: "desk")
            #expect(found === desk)
            system.withdraw("desk")
        }
    }

    @Test func withoutACoordinatorNoNameIsFound() async throws {
        let node = ActorNodes.leaf()
        let system = LatticeActorSystem(node)
        let error = await #expect(throws: ActorCallError.self) {
            try await system.resolve(Desk.self, named: "desk", within: .milliseconds(10))
        }
        #expect(error?.code == .unknownProcess && error?.delivery == .notSent)
    }
}
