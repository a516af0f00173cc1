package import ArgumentParser
import ExampleSupport
import LatticeActors
import LatticeCore
import LatticeWorker

/// The program: a worker if a coordinator started it, else what the command line says.
package struct Checksums: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "checksums",
        abstract: "Prints the SHA-256 of every regular file below a path, as sha256sum does, with several workers.",
        discussion: """
            The lines are in the order of the paths: `checksums PATH > SUMS && sha256sum -c SUMS`. Symbolic links below \
            the path are not followed. Any worker may be killed at any moment; what it had is hashed again by others. \
            `checksums attach` shows the same progress in another terminal.

            Exit: 0 all hashed, 1 some files could not be hashed or the job was cancelled, 2 wrong use, \
            130, 143 and 129 ended by SIGINT, SIGTERM and SIGHUP.
            """,
        subcommands: [HashCommand.self, AttachCommand.self],
        defaultSubcommand: HashCommand.self
    )

    package init() {}

    package static func main() async {
        await main(asWorkerHosting: ChecksumsFeature.self, say: StatusLine.say) { worker in
            let system = LatticeActorSystem(worker.node)
            if worker.group == Hasher.group { try system.host(Hasher.name) { Hasher(actorSystem: $0) } }
            var dependencies = HostDependencies()
            dependencies[HasherSystem.self] = system
            return dependencies
        }
    }
}
