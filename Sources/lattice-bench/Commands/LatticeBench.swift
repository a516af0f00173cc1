import ArgumentParser
import Glibc
import LatticeActors
import LatticeCore
import LatticeJobs
import LatticeToolSupport
import LatticeWorker

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
@main struct LatticeBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lattice-bench",
        abstract: "Measures how fast events become states on this machine.",
        discussion: """
            All results are checked. A benchmark ends with exit code 1 if a result is \
            wrong or missing, or if it takes longer than 120 s (faults and operating: 480 \
            s). Exit code 64 means wrong usage.

            Example: lattice-bench relay --only round-trips --json

            The environment variable PEERS_DIV divides the number of operations. PEERS_DIR \
            is the directory for sockets, by default a new temporary directory.
            """,
        subcommands: [
            RelayCommand.self, SessionCommand.self, ViewModelCommand.self, LoadCommand.self, StateCommand.self,
            FaultsCommand.self, OperatingCommand.self, ActorsCommand.self, PoolCommand.self, JobsCommand.self,
            LocalCommand.self, CodingCommand.self, ChartCommand.self, PartCommand.self,
        ]
    )

    static func main() async {
        // The workers of the benchmarks run this executable too.
        let features: [any HostedFeature.Type] = [
            EchoFeature.self, BroadcastFeature.self, SubscribersFeature.self, KeyedFeature.self, ArrayFeature.self,
            CardsFeature.self, HoldFeature.self, ObserverFeature.self, FaultyFeature.self, RivalFeature.self,
            RelayFeature.self, CrowdFeature.self, CrowdMembersFeature.self, SpreadFeature.self,
        ]
        guard let worker = Worker.launchedBySupervisor(hosting: features) else { return await main(nil) }
        do {
            if CommandLine.arguments.dropFirst().elementsEqual(EchoActor.workerArguments) {
                let system = LatticeActorSystem(worker)
                try system.host(EchoActor.name, on: .reader) { EchoActor(actorSystem: $0) }
                try system.host(EchoActor.poolName) { EchoActor(actorSystem: $0) }
            }
            if CommandLine.arguments.dropFirst().elementsEqual(BenchJob.workerArguments) {
                try LatticeActorSystem(worker).host(jobs: BenchJob.self, in: BenchJob.group)
            }
            try await worker.run(observers: BenchInstruments.observers)
        } catch {
            Console.say("lattice-bench worker: \(error)")
            Glibc.exit(1)
        }
    }
}
