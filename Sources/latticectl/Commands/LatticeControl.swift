import ArgumentParser
import Glibc
import LatticeActors
import LatticeChaos
import LatticeCore
import LatticeWorker

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
@main struct LatticeControl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latticectl",
        abstract: "Benchmarks Lattice and tests it with injected faults.",
        discussion: """
            Example: latticectl chaos --minutes 1

            Exit codes: 0 success, 1 a measurement or a check failed, 64 wrong usage.
            """,
        subcommands: [BenchCommand.self, ChaosCommand.self, PartCommand.self]
    )

    static func main() async {
        // The workers of the benches and of chaos run this executable too.
        let benches: [any HostedFeature.Type] = [
            EchoFeature.self, BroadcastFeature.self, SubscribersFeature.self, KeyedFeature.self, ArrayFeature.self,
            CardsFeature.self, HoldFeature.self, ObserverFeature.self, FaultyFeature.self, RivalFeature.self,
            RelayFeature.self,
        ]
        let worker = Worker.launchedBySupervisor(hosting: benches + Chaos.features)
        guard let worker else { return await main(nil) }
        do {
            try Chaos.host(at: worker.node, CommandLine.arguments.dropFirst())
            if CommandLine.arguments.dropFirst().elementsEqual(EchoActor.workerArguments) {
                let system = LatticeActorSystem(worker)
                try system.host(EchoActor.name, on: .reader) { EchoActor(actorSystem: $0) }
                try system.host(EchoActor.poolName) { EchoActor(actorSystem: $0) }
            }
            try await worker.run()
        } catch {
            Console.say("latticectl worker: \(error)")
            Glibc.exit(1)
        }
    }
}
