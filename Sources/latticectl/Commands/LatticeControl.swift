import ArgumentParser
import Glibc
import LatticeActors
import LatticeChaos
import LatticeCore
import LatticeWorker

/// The program: a worker if a coordinator started it, else what the command line says.
@main struct LatticeControl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latticectl",
        abstract: "Looks at Lattice from the outside.",
        discussion: "Exit: 0 done, 1 something went wrong, 64 wrong use.",
        subcommands: [BenchCommand.self, ChaosCommand.self, PartCommand.self]
    )

    static func main() async {
        // The workers of benches and of chaos are this executable again.
        let benches: [any HostedFeature.Type] = [
            EchoFeature.self, BroadcastFeature.self, SubscribersFeature.self, KeyedFeature.self, ArrayFeature.self,
            CardsFeature.self, HoldFeature.self, ObserverFeature.self, FaultyFeature.self, RivalFeature.self,
        ]
        let worker = Worker.launchedBySupervisor(hosting: benches + Chaos.features)
        guard let worker else { return await main(nil) }
        do {
            try Chaos.host(at: worker.node, CommandLine.arguments.dropFirst())
            if CommandLine.arguments.dropFirst().elementsEqual(EchoActor.workerArguments) {
                let system = LatticeActorSystem(worker.node)
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
