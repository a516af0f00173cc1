import Distributed
import LatticeActors
import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct FailureTests {
    @Test(arguments: Way.allCases)
    func cancellingTheCallerCancelsTheMethod(_ way: Way) async throws {
        try await way.with { _, remote, _ in
            let gate = Gates.makeName()
            let call = Task { try await remote.wait(at: gate) }
            try await Gates.untilArrived(gate)
            call.cancel()
            try await Gates.untilCancelled(gate)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
    }

    @Test func aCallOfACancelledTaskIsNotMade() async throws {
        try await Way.coordinatorToWorker.with { _, remote, local in
            await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await #expect(throws: CancellationError.self) { try await remote.nothing() }
            }.value
            let count = try await local.counted
            #expect(count == 0)
        }
    }

    @Test func aMethodThatIgnoresCancellationDoesNotDelayTheCaller() async throws {
        try await ActorNet.with(cancelTimeout: .milliseconds(50)) { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let remote = try Desk.resolve(id: desk.id, using: net.hub)
            let gate = Gates.makeName()
            let call = Task { try await remote.stubborn(at: gate) }
            try await Gates.untilArrived(gate)
            call.cancel()
            let error = await #expect(throws: ActorCallError.self) { try await call.value }
            #expect(error?.code == .cancelled && error?.delivery == .mayHaveBegun)
            // The answer still arrives, and is dropped.
            Gates.open(gate)
            try await poll { net.hub.lateReplies > 0 }
            #expect(net.hub.lateReplies == 1)
        }
    }

    @Test func deadlinesTravel() async throws {
        try await Way.clientToWorker.with { _, remote, _ in
            let without = try await remote.deadline()
            let with = try await withDeadline(.now + .seconds(60)) { try await remote.deadline() }
            #expect(!without && with)
        }
    }

    @Test(arguments: Way.allCases) func aCallWithoutAnAnswerIsCancelledAtItsDeadline(_ way: Way) async throws {
        try await way.with { _, remote, _ in
            try await Gates.untilTooLate { gate, limit in
                let error = await #expect(throws: ActorCallError.self) {
                    try await withDeadline(.now + limit) { try await remote.wait(at: gate) }
                }
                #expect(error?.code == .deadlinePassed)
            }
        }
    }

    @Test func aDeadlineThatHasPassedSendsNothing() async throws {
        try await Way.coordinatorToWorker.with { _, remote, local in
            let error = await #expect(throws: ActorCallError.self) {
                try await withDeadline(.now) { try await remote.nothing() }
            }
            #expect(error?.code == .deadlinePassed && error?.delivery == .notSent)
            let count = try await local.counted
            #expect(count == 0)
        }
    }

    @Test func anInnerDeadlineIsNoLaterThanTheOuterOne() async throws {
        let moment = await withDeadline(.now + .seconds(1)) {
            await withDeadline(.now + .seconds(100)) { MonotonicDeadline.current }
        }
        #expect(try #require(moment.moment) < .now + .seconds(2))
    }

    @Test(
        "The end of a process ends all of its calls at once, and the error says how the process ended",
        arguments: [false, true]
    )
    func lost(isSupervised: Bool) async throws {
        try await ActorNet.with([.worker, .client], isSupervised: isSupervised) { net in
            try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let gate = Gates.makeName()
            let own = try await net.hub.resolve(Desk.self, named: "desk", within: .seconds(100))
            let other = try await net.systems[2].resolve(Desk.self, named: "desk")
            let calls = [own, other].flatMap { desk in
                (0..<10).map { _ in Task { try await desk.wait(at: gate) } }
            }
            try await Gates.untilArrived(gate, count: 20)
            net.net.leaves[0].hubSession.connection.close()
            try await Gates.untilCancelled(gate, count: 20)
            if isSupervised { net.net.hub.lost(net.net.leaves[0].hubSession, because: "it was killed by signal 9") }
            for call in calls {
                let error = await #expect(throws: ActorCallError.self) { try await call.value }
                #expect(error?.code == .lost && error?.delivery == .mayHaveBegun)
                let reason = isSupervised ? "it was killed by signal 9" : "the connection to the worker 0 was lost"
                #expect(error?.message.contains("\(reason);") == true)
            }
            // Later ones are not sent.
            let later = await #expect(throws: ActorCallError.self) { try await own.nothing() }
            #expect(later?.code == .unknownProcess && later?.delivery == .notSent)
            let name = await #expect(throws: ActorCallError.self) {
                try await net.hub.resolve(Desk.self, named: "desk")
            }
            #expect(name?.code == .unknownName)
        }
    }

    @Test func anActorThatHasEndedIsUnknown() async throws {
        try await ActorNet.with { net in
            var desk: Desk? = Desk(actorSystem: net.systems[1])
            let id = try #require(desk).id
            let remote = try Desk.resolve(id: id, using: net.hub)
            try await remote.nothing()
            desk = nil
            // The task of the call may release the actor a moment later.
            let end = try await net.hub.onTermination(of: id)
            #expect(end == .released)
            let error = await #expect(throws: ActorCallError.self) { try await remote.nothing() }
            #expect(error?.code == .unknownActor && error?.delivery == .notSent)
        }
    }

    @Test func aMethodMissingOnTheOtherSideIsAnErrorThatNamesBoth() async throws {
        try await ActorNet.with { net in
            let greeter = FriendlyGreeter(actorSystem: net.systems[1])
            // Another actor than the caller takes it for.
            let desk = try Desk.resolve(id: greeter.id, using: net.hub)
            let error = await #expect(throws: ActorCallError.self) { try await desk.nothing() }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(error?.message.contains("FriendlyGreeter") == true)
            #expect(error?.message.contains("Desk.nothing()") == true)
        }
    }

    @Test("A protocol's method is not called on an actor that does not conform to it")
    func conformances() async throws {
        try await ActorNet.with { net in
            let desk = Desk(actorSystem: net.systems[1])
            let greeter = try $Greeter.resolve(id: desk.id, using: net.hub)
            let error = await #expect(throws: ActorCallError.self) { try await greeter.greet("Ann") }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
        }
    }

    @Test("A method of a nested actor type is not called on the outer actor")
    func nested() async throws {
        try await ActorNet.with { net in
            let desk = Desk(actorSystem: net.systems[1])
            let drawer = Desk.Drawer(actorSystem: net.systems[1])
            let own = try Desk.Drawer.resolve(id: drawer.id, using: net.hub)
            let value = try await own.open(3)
            #expect(value == 3)
            let wrong = try Desk.Drawer.resolve(id: desk.id, using: net.hub)
            let error = await #expect(throws: ActorCallError.self) { try await wrong.open(3) }
            #expect(error?.code == .unknownMethod)
        }
    }

    @Test("A generic method that is called with too few or too many types does not run")
    func fewTypes() async throws {
        try await ActorNet.with { net in
            let desk = Desk(actorSystem: net.systems[1])
            try net.systems[1].register(types: Int.self, String.self)
            let remote = try Desk.resolve(id: desk.id, using: net.hub)
            let all = try await remote.three(1, "2", 3)
            #expect(all == 3)
            let method =
                "$s" + (_mangledTypeName(Desk.self) ?? "") + "5threeyq0_x_q_q0_tYaKSeRzSERzSeR_SER_SeR0_SER0_r1_lFTE"
            for types in [["Si"], ["Si", "SS"], ["Si", "SS", "Si", "SS"], []] {
                for _ in 0..<3 {
                    var call = OutgoingCall(to: desk.id.number, of: net.net.leaves[0].node.id, method: method)
                    call.arguments = [1, 0x61, 0x32, 3]
                    call.substitutions = types
                    let reply = await net.net.hub.ask(call)
                    #expect((reply.code == .returned) == (types.count > 3), "\(types)")
                }
            }
        }
    }

    @Test("An actor may end while others wait for its end")
    func endsMeanwhile() async throws {
        try await ActorNet.with { net in
            for _ in 0..<20 {
                var desk: Desk? = Desk(actorSystem: net.systems[1])
                let id = try #require(desk).id
                let watches = (0..<4).map { _ in Task { try await net.hub.onTermination(of: id) } }
                await Task.yield()
                desk = nil
                for watch in watches {
                    let end = try await watch.value
                    #expect(end == .released)
                }
            }
        }
    }

    @Test("Answers above the limit of waiting ones are all read later, and the session continues")
    func unread() async throws {
        try await ActorNet.with { net in
            let notes = Watched<[String]>([])
            net.net.leaves[0].node.onNote { note in notes.change { $0.append(note) } }
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let remote = try Desk.resolve(id: desk.id, using: net.hub)
            let gate = Gates.makeName()
            let calls = (0..<20).map { _ in Task { try await remote.large(20_000_000, at: gate) } }
            try await Gates.untilArrived(gate, count: 20)
            try await withHeld(net.net.leaves[0].hubSession.eventLoop) {
                Gates.open(gate)
                try await notes.until { !$0.isEmpty }
            }
            for call in calls {
                let bytes = try await call.value
                #expect(bytes.count == 20_000_000)
            }
            #expect(net.net.leaves[0].ended.value == nil)
        }
    }

    @Test func privateActorsAreCalledByTheirProtocols() async throws {
        try await ActorNet.with { net in
            let shy = ShyGreeter(actorSystem: net.systems[1])
            let greeter = try $Greeter.resolve(id: shy.id, using: net.hub)
            let greeting = try await greeter.greet("Ann")
            #expect(greeting == "hm, Ann")
            let own = try ShyGreeter.resolve(id: shy.id, using: net.hub)
            let error = await #expect(throws: ActorCallError.self) { try await own.greet("Ann") }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(
                error?.message.hasSuffix(
                    "the actor's type ShyGreeter is private in the worker 0, so its own methods cannot be called from"
                        + " elsewhere; make it internal, or call it by a protocol that is @Resolvable"
                ) == true
            )
        }
    }

    @Test func genericActorsAreCalledWithTheirOwnTypes() async throws {
        try await ActorNet.with { net in
            let box = Box<Int>(actorSystem: net.systems[1])
            let own = try Box<Int>.resolve(id: box.id, using: net.hub)
            let value = try await own.put(7)
            #expect(value == 7)
            let form = Desk.Form(name: "a", numbers: [1], picture: [])
            let forms = Box<Desk.Form>(actorSystem: net.systems[1])
            let remoteForms = try Box<Desk.Form>.resolve(id: forms.id, using: net.hub)
            let same = try await remoteForms.put(form)
            #expect(same == form)
            let wrong = try Box<String>.resolve(id: box.id, using: net.hub)
            let error = await #expect(throws: ActorCallError.self) { try await wrong.put("7") }
            #expect(error?.code == .unknownMethod)
        }
    }

    @Test(
        "Method names that the compiler cannot have made are refused",
        arguments: [
            "", "$s", "$s18LatticeActorsTests4DeskC", "$s18LatticeActorsTests4DeskC7nothing", "$s4main", "x",
            "$s99999999999999a",
            "$s18LatticeActorsTests4DeskC7nothingyyYaKFTE\u{0}", "$s0A0B0C", "$sAAAA",
        ]
    )
    func names(_ name: String) async throws {
        try await ActorNet.with { net in
            let desk = Desk(actorSystem: net.systems[1])
            var call = OutgoingCall(to: desk.id.number, of: net.net.leaves[0].node.id, method: name)
            let reply = await net.net.hub.ask(call)
            #expect(name.isEmpty || reply.code == .noMethod)
            call.substitutions = ["Si", "18LatticeActorsTests8$GreeterC"]
            let other = await net.net.hub.ask(call)
            #expect(other.code != .returned)
        }
    }

    @Test func argumentsThatCannotBeReadAreAnError() async throws {
        try await ActorNet.with { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let call = OutgoingCall(
                to: desk.id.number,
                of: net.net.leaves[0].node.id,
                method: "$s18LatticeActorsTests4DeskC3add_2toS2i_SitYaKFTE",
                arguments: [0x01, 0x61, 0x61]
            )
            let reply = await net.net.hub.ask(call)
            #expect(reply.code == .undecodable)
            #expect(
                reply.failure?.reason
                    == "argument 2 of LatticeActorsTests.Desk.add(_:to:) cannot be read as Int by the worker 0; build both"
                    + " programs from the same source: at its top: The value at byte 0 is a text string, not an integer."
            )
        }
    }

    @Test func aResultThatIsTooLargeIsAnError() async throws {
        try await Way.coordinatorToWorker.with { _, remote, _ in
            let error = await #expect(throws: ActorCallError.self) { try await remote.large(70_000_000) }
            #expect(error?.code == .tooLarge && error?.delivery == .mayHaveBegun)
            let bytes = [UInt8](repeating: 0, count: 70_000_000)
            let other = await #expect(throws: ActorCallError.self) { try await remote.size(of: bytes) }
            #expect(other?.code == .tooLarge && other?.delivery == .notSent)
        }
    }

    @Test func manyLargeResultsAtOnceArriveAll() async throws {
        try await Way.coordinatorToWorker.with(over: .socketPair) { _, remote, _ in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await remote.large(10_000_000).count } }
                for try await count in group { #expect(count == 10_000_000) }
            }
        }
    }
}

private distributed actor ShyGreeter: Greeter {
    typealias ActorSystem = LatticeActorSystem
    distributed func greet(_ name: String) -> String { "hm, \(name)" }
}
