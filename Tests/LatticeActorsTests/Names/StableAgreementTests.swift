import Distributed
import LatticeActors
import LatticeCalls
import LatticeTestSupport
import LatticeWire
import Testing

/// Tests what is compared when an actor is looked up.
@Suite(.timeLimit(.minutes(10))) struct StableAgreementTests {
    @Test func aMethodThatTheOtherSideDoesNotHaveIsAnErrorThatNamesBoth() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("clerk") { Served.Clerk(actorSystem: $0) }
            let error = await #expect(throws: ActorCallError.self) {
                try await net.hub.resolve(Calling.Ahead.self, named: "clerk", within: .seconds(100))
            }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(
                error?.message
                    == "Ahead has dismiss(at:) with the signature (Int) -> Void here, which the actor in the worker 0 does"
                    + " not have; it has: add(_:to:), ask(_:), begin(_:), count(), deadline(), greet(_:),"
                    + " greet(_:loudly:), numbers(to:), order(), prices(), sell(left:), tell(), wait(at:); build both"
                    + " programs from sources that agree"
            )
        }
    }

    @Test func anotherSignatureIsAnErrorThatNamesBoth() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("clerk") { Served.Clerk(actorSystem: $0) }
            let error = await #expect(throws: ActorCallError.self) {
                try await net.hub.resolve(Calling.Apart.self, named: "clerk", within: .seconds(100))
            }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(
                error?.message
                    == "prices() of Apart has the signature () -> Dictionary<String, Double> here, and"
                    + " () -> Dictionary<String, Int> in the worker 0; build both programs from sources that agree"
            )
        }
    }

    @Test func poolsCompareToo() async throws {
        try await ActorNet.with { net in
            try net.systems[1].host("clerk") { Served.Clerk(actorSystem: $0) }
            try await net.hub.withPool(of: Calling.Clerk.self, named: "clerk") { pool in
                let greeting = try await pool.call { try await $0.greet("Ann") }
                #expect(greeting == "hello, Ann")
            }
            try await net.hub.withPool(of: Calling.Apart.self, named: "clerk") { pool in
                let error = await #expect(throws: ActorCallError.self) {
                    try await pool.call { try await $0.prices() }
                }
                #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            }
        }
    }

    @Test func anActorWithoutATableIsCalledByTheCompilersNames() async throws {
        try await ActorNet.with { net in
            let plain = try net.systems[1].host("greeter") { FriendlyGreeter(actorSystem: $0) }
            let found = try await net.hub.resolve($Greeter.self, named: "greeter", within: .seconds(100))
            let greeting = try await found.greet("Ann")
            #expect(greeting == "hello, Ann")
            // A caller that expects a table gets the error that the method is missing, and no other actor's method is
            // called.
            let clerk = try await net.hub.resolve(Calling.Clerk.self, named: "greeter")
            let error = await #expect(throws: ActorCallError.self) { try await clerk.greet("Ann") }
            #expect(error?.code == .unknownMethod && error?.delivery == .notSent)
            #expect(plain.id.number == found.id.number)
        }
    }

    @Test func anActorThatHasEndedIsNotTakenForOne() async throws {
        try await ActorNet.with { net in
            let reply = await net.net.hub.ask(
                OutgoingCall(.methods, about: 77, at: net.net.leaves[0].node.id)
            )
            #expect(reply.code == .noActor)
            #expect(reply.failure?.reason == "the worker 0 has no actor 77; it has ended or never existed")
        }
    }

    @Test func theDescriptionOfATable() async throws {
        try await ActorNet.with { net in
            let waiter = QuickWaiter(actorSystem: net.systems[1])
            let desk = Desk(actorSystem: net.systems[1])
            for (actor, methods) in [
                (
                    waiter.id.number,
                    [
                        StableMethodEntry(
                            identifier: "serve(_:)",
                            digest: 0xe8db_a380_5e67_25b5,
                            signature: "(String) -> String"
                        ),
                        StableMethodEntry(
                            identifier: "tables()",
                            digest: 0xf33a_b2f6_6e9d_24d0,
                            signature: "() -> Int"
                        ),
                    ]
                ), (desk.id.number, []),
            ] {
                let reply = await net.net.hub.ask(
                    OutgoingCall(.methods, about: actor, at: net.net.leaves[0].node.id)
                )
                guard case .returned(let value) = reply else {
                    Issue.record("\(reply)")
                    return
                }
                let agreed = try StableMethodList(bytes: value ?? [])
                #expect(agreed.methods == methods)
            }
        }
    }
}
