import ArgumentParser
import LatticeControl
import LatticeToolSupport

/// `latticectl new`.
struct NewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Writes a new package with a feature, a worker, a client and a test.",
        discussion: """
            The package is a folder with this name in the present folder. It gets Lattice \
            from the folder "lattice" next to it, or from where the options say.

            Examples:
              latticectl new my-app
              latticectl new my-app --path ~/src/lattice
              latticectl new my-app --url https://git.example.org/lattice.git

            Exit codes: 0 success, 1 a file cannot be written, 3 the folder exists already, \
            or there is no Lattice at the path, 64 wrong usage.
            """
    )

    @Argument(help: "The name: lowercase letters, digits, and hyphens between them.")
    var name: String

    @Option(help: "The folder with Lattice, from the present folder. (default: lattice)")
    var path: String?

    @Option(help: "The address of the repository of Lattice, of which the main branch is used.")
    var url: String?

    func validate() throws {
        guard path == nil || url == nil else { throw ValidationError("Give either --path or --url.") }
        guard path != "", url != "" else { throw ValidationError("--path and --url need a text.") }
    }

    func run() async throws {
        try await ControlFailure.reporting {
            let name = try PackageName(name)
            let lattice = try url.map { try LatticeSource(address: $0) } ?? LatticeSource(folder: path ?? "lattice")
            // The package manager knows packages by the names of their folders, in any case of the letters.
            guard lattice.name.lowercased() != name.text else {
                throw ControlFailure(
                    "\"\(name.text)\" cannot be the name of a package, because the folder or repository of Lattice has"
                        + " this name. Choose another name.",
                    code: 64
                )
            }
            try NewPackage.write(PackageTemplate.files(for: name, from: lattice), to: name.text)
            Console.put("The package is in the folder \(name.text). Try it:")
            Console.put("  cd \(name.text)")
            Console.put("  swift test")
            Console.put("  swift run \(name.text) serve")
        }
    }
}
