package import ArgumentParser
import ExampleSupport
import LatticeActors
import LatticeCore
import LatticeWorker

/// The program. It is a worker if a coordinator has started it, and otherwise does what the command line says.
package struct Checksums: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "checksums",
        abstract: "Prints the SHA-256 of every regular file below a path, with several workers.",
        discussion: """
            Example: checksums PATH > SUMS && sha256sum -c SUMS

            The lines have the format of sha256sum and are sorted by path. Symbolic links \
            below the path are not followed. You can kill any worker at any time. Its files \
            are hashed again by other workers. `checksums attach` shows the progress in \
            another terminal.

            Exit codes: 0 all files were hashed, 1 some files could not be hashed or the job \
            was cancelled, 2 wrong usage, 130, 143 and 129 ended by SIGINT, SIGTERM and \
            SIGHUP.
            """,
        subcommands: [HashCommand.self, AttachCommand.self],
        defaultSubcommand: HashCommand.self
    )

    /// Creates the command.
    package init() {}

    /// Runs the program, as a worker or as a command.
    package static func main() async {
        await main(asWorkerHosting: ChecksumsFeature.self, say: StatusLine.say) { worker in
            let system = LatticeActorSystem(worker)
            if worker.group == Hasher.group { try system.host(Hasher.name) { Hasher(actorSystem: $0) } }
            var dependencies = HostDependencies()
            dependencies[HasherSystem.self] = system
            return dependencies
        }
    }
}
