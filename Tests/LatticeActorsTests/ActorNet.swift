import LatticeActors
import LatticeCalls
import LatticeTestSupport
import LatticeWire

/// Actor systems of a coordinator and of other processes.
struct ActorNet {
    let net: NodeNet
    let systems: [LatticeActorSystem]

    var hub: LatticeActorSystem { systems[0] }

    static func with(
        _ roles: [Role] = [.worker],
        over link: SessionLink = .memory,
        isSupervised: Bool = false,
        cancelTimeout: Duration = .seconds(120),
        isFirstApart: Bool = false,
        _ body: (ActorNet) async throws -> Void
    ) async throws {
        var systems: [LatticeActorSystem] = []
        try await NodeNet.with(
            roles,
            over: link,
            isSupervised: isSupervised,
            cancelTimeout: cancelTimeout,
            isFirstApart: isFirstApart
        ) { nodes in
            systems = nodes.map { LatticeActorSystem($0) }
        } _: { net in
            try await body(ActorNet(net: net, systems: systems))
        }
    }
}

/// The places of the caller and of the actor.
enum Way: String, CaseIterable, Sendable {
    case coordinatorToWorker, workerToCoordinator, clientToWorker, workerToWorker, clientToClient

    var roles: [Role] {
        switch self {
        case .coordinatorToWorker, .workerToCoordinator: [.worker]
        case .clientToWorker: [.client, .worker]
        case .workerToWorker: [.worker, .worker]
        case .clientToClient: [.client, .client]
        }
    }

    var caller: Int { self == .coordinatorToWorker ? 0 : 1 }
    var callee: Int { self == .coordinatorToWorker ? 1 : self == .workerToCoordinator ? 0 : 2 }

    /// Runs a test with two systems and an actor of the second one that both know.
    func with(
        over link: SessionLink = .memory,
        _ body: (_ caller: LatticeActorSystem, _ remote: Desk, _ local: Desk) async throws -> Void
    ) async throws {
        try await ActorNet.with(roles, over: link) { net in
            let local = try net.systems[callee].host("desk") { Desk(actorSystem: $0) }
            let remote = try await net.systems[caller].resolve(Desk.self, named: "desk", within: .seconds(100))
            try await body(net.systems[caller], remote, local)
        }
    }
}

enum ActorNodes {
    /// Returns a node without sessions.
    static func leaf() -> ActorNode { ActorNode(isHub: false, title: "worker") }
}
