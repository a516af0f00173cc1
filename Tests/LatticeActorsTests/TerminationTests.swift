import Distributed
import LatticeActors
import LatticeCalls
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct TerminationTests {
    /// Waits for the ends of an actor, and counts them.
    private static func watch(_ id: LatticeActorID, _ system: LatticeActorSystem) -> Task<ActorTermination, any Error> {
        Task { try await system.onTermination(of: id) }
    }

    @Test(arguments: [Role.worker, .client]) func theEndOfAnActorIsReported(_ role: Role) async throws {
        try await ActorNet.with([role, .client]) { net in
            var desk: Desk? = Desk(actorSystem: net.systems[1])
            let id = try #require(desk).id
            let remote = try Desk.resolve(id: id, using: net.systems[2])
            let watches = net.systems.map { Self.watch(id, $0) }
            // An earlier call is answered before the end is reported.
            let gate = Gates.makeName()
            let call = Task { try await remote.wait(at: gate) }
            try await Gates.untilArrived(gate)
            Gates.open(gate)
            let value = try await call.value
            #expect(value == gate)
            desk = nil
            for watch in watches {
                let end = try await watch.value
                #expect(end == .released)
            }
            // The end of an actor that has ended already is reported at once.
            let end = try await net.hub.onTermination(of: id)
            #expect(end == .released)
        }
    }

    @Test func theEndOfItsProcessIsItsEnd() async throws {
        try await ActorNet.with([.worker, .client], isSupervised: true) { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let watches = [net.systems[0], net.systems[2]].map { Self.watch(desk.id, $0) }
            let processes = [net.systems[0], net.systems[2]].map { system in
                Task { try await system.onTermination(ofProcessOf: desk.id) }
            }
            let remote = try Desk.resolve(id: desk.id, using: net.systems[2])
            try await remote.nothing()
            let session = net.net.leaves[0].hubSession
            session.connection.close()
            net.net.hub.lost(session, because: "it was killed by signal 9")
            for watch in watches {
                let end = try await watch.value
                #expect(end != .released)
            }
            for process in processes {
                let end = try await process.value
                #expect(end.process == desk.id.process)
                #expect(!end.reason.isEmpty && "\(end)" == end.reason)
            }
            let late = try await net.systems[2].onTermination(of: desk.id)
            #expect(late != .released)
        }
    }

    @Test func aReferenceIsEnoughToWaitForTheEnd() async throws {
        try await ActorNet.with([.worker, .client], isSupervised: true) { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let remote = try Desk.resolve(id: desk.id, using: net.systems[2])
            let system = net.systems[2]
            let actor = Task { try await system.onTermination(of: remote) }
            let process = Task { try await system.onTermination(ofProcessOf: remote) }
            try await remote.nothing()
            let session = net.net.leaves[0].hubSession
            session.connection.close()
            net.net.hub.lost(session, because: "it was killed by signal 9")
            let end = try await actor.value
            let termination = try await process.value
            #expect(end != .released)
            #expect(termination.process == remote.id.process)
        }
    }

    @Test func aWatchCanBeCancelled() async throws {
        try await ActorNet.with { net in
            let desk = try net.systems[1].host("desk") { Desk(actorSystem: $0) }
            let watch = Self.watch(desk.id, net.hub)
            let remote = try Desk.resolve(id: desk.id, using: net.hub)
            try await remote.nothing()
            watch.cancel()
            await #expect(throws: CancellationError.self) { try await watch.value }
        }
    }
}
