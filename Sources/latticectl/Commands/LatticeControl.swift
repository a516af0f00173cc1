import ArgumentParser
import Glibc
import LatticeChaos
import LatticeToolSupport
import LatticeWorker

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
@main struct LatticeControl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latticectl",
        abstract: "Tests Lattice with injected faults.",
        discussion: """
            Example: latticectl chaos --minutes 1

            Exit codes: 0 success, 1 a check failed, 64 wrong usage.
            """,
        subcommands: [ChaosCommand.self]
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
