import ArgumentParser
import Glibc
import LatticeChaos
import LatticeToolSupport
import LatticeWorker

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
@main struct LatticeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latticectl",
        abstract: "Looks into running coordinators, acts on them, and tests Lattice with injected faults.",
        discussion: """
            Examples:
              latticectl ps
              latticectl describe workers
              latticectl top
              latticectl tail --level warning
              latticectl watch tally
              latticectl restart uploads
              latticectl new my-app
              latticectl chaos --minutes 1

            Exit codes: 0 success, 1 a check failed or no coordinator answered, 2 a \
            coordinator refused, 3 nothing was done, 64 wrong usage.
            """,
        subcommands: [
            PSCommand.self, DescribeCommand.self, TopCommand.self, TailCommand.self, RestartCommand.self,
            DrainCommand.self, CancelCommand.self,
            QuarantineCommand.self, StateCommand.self, WatchCommand.self, SendCommand.self, AskCommand.self,
            NewCommand.self, ChaosCommand.self,
        ]
    )

    static func main() async {
        // The workers of chaos run this executable too.
        guard let worker = Worker.launchedBySupervisor(hosting: Chaos.features) else { return await main(nil) }
        do {
            try Chaos.host(at: worker.node, CommandLine.arguments.dropFirst())
            try await worker.run()
        } catch {
            Console.say("latticectl worker: \(error)")
            Glibc.exit(1)
        }
    }
}
