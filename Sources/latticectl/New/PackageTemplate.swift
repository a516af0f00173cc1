/// The files of a package that `latticectl new` writes, with "Starter" and "starter" in place of its name.
///
/// All files except `Package.swift` are those of `Examples/Starter`, where they are built and tested. A test compares
/// them. Change them there, and copy the change to this file.
enum PackageTemplate {
    /// Returns the files of a package: paths in its folder, and contents.
    static func files(for name: PackageName, from lattice: LatticeSource) -> [(path: String, text: String)] {
        let sources = [
            ("Sources/StarterFeature/StarterFeature.swift", feature),
            ("Sources/StarterProgram/Program.swift", program),
            ("Tests/StarterFeatureTests/StarterFeatureTests.swift", tests),
            ("README.md", readme),
        ]
        return [("Package.swift", manifest(for: name, from: lattice)), (".gitignore", ".build\n")]
            + sources.map { path, text in (path: replaced(path, name), text: replaced(text, name)) }
    }

    /// Replaces the name of the template.
    private static func replaced(_ text: String, _ name: PackageName) -> String {
        var result = ""
        var rest = text[...]
        while let first = rest.first {
            if rest.hasPrefix("Starter") || rest.hasPrefix("starter") {
                result += first == "S" ? name.typeName : name.text
                rest = rest.dropFirst("Starter".count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static func manifest(for name: PackageName, from lattice: LatticeSource) -> String {
        let type = name.typeName
        let package = LatticeSource.literal(lattice.name)
        return """
            // swift-tools-version: 6.2

            import PackageDescription

            let package = Package(
                name: "\(name.text)",
                platforms: [.macOS(.v26)],
                products: [.executable(name: "\(name.text)", targets: ["\(type)Program"])],
                dependencies: [\(lattice.dependency)],
                targets: [
                    .target(
                        name: "\(type)Feature",
                        dependencies: [.product(name: "LatticeCore", package: \(package))]
                    ),
                    .executableTarget(
                        name: "\(type)Program",
                        dependencies: [
                            "\(type)Feature",
                            .product(name: "LatticeClient", package: \(package)),
                            .product(name: "LatticeCoordinator", package: \(package)),
                            .product(name: "LatticeCore", package: \(package)),
                            .product(name: "LatticeWorker", package: \(package)),
                        ]
                    ),
                    .testTarget(
                        name: "\(type)FeatureTests",
                        dependencies: ["\(type)Feature", .product(name: "LatticeCore", package: \(package))]
                    ),
                ]
            )

            """
    }

    private static let feature = #"""
        public import LatticeCore

        /// A feature that adds numbers.
        public enum StarterFeature: HostedFeature {
            /// What the feature can be asked to do.
            public enum Action: Codable, Sendable {
                /// Adds a number.
                case add(Int)
                /// Adds a number after a while.
                case addLater(Int)
            }

            /// The name of the feature in messages, logs and latticectl. Do not change it after a release.
            public static let identifier = "starter"

            public static func initialDomainState(in context: HostContext) -> Int { 0 }

            /// Runs in the worker. It changes the state and returns effects.
            public static func interactor(in context: HostContext) -> Interact<Int, Action> {
                Interact { sum, action in
                    switch action {
                    case .add(let number):
                        sum += number
                        return .none
                    case .addLater(let number):
                        return .perform {
                            try await Task.sleep(for: .milliseconds(100))
                            return .add(number)
                        }
                    }
                }
            }

            /// Runs in the coordinator. It derives the view state, which the coordinator and the clients show.
            public static func reducer() -> BuildViewState<Int, String> {
                BuildViewState(initial: { _ in "" }) { sum, text in text = "sum \(sum)" }
            }
        }

        """#

    private static let program = #"""
        import Foundation
        import LatticeClient
        import LatticeCoordinator
        import LatticeCore
        import LatticeWorker
        import StarterFeature

        /// One program in three roles: the coordinator, its worker, and a client.
        @main struct Program {
            @MainActor static func main() async {
                do {
                    try await run()
                } catch {
                    // An error that is thrown from `main` would print a crash report instead of a sentence.
                    FileHandle.standardError.write(Data("starter: \(error)\n".utf8))
                    exit(1)
                }
            }

            @MainActor private static func run() async throws {
                // The coordinator starts this program again as the worker.
                if let worker = Worker.launchedBySupervisor(hosting: StarterFeature.self) { return try await worker.run() }

                // The coordinator and the clients meet at this socket.
                let socket = try Coordinator.runtimeDirectory("starter") + "/main"
                let arguments = CommandLine.arguments.dropFirst()
                switch (arguments.first, arguments.dropFirst().first.flatMap { Int($0) }) {
                case ("serve"?, nil) where arguments.count == 1: try await serve(at: socket)
                case ("add"?, let number?) where arguments.count == 2: try await add(number, at: socket)
                default: throw Usage()
                }
            }

            /// Runs the coordinator until Ctrl-C. It starts the worker, accepts clients, and prints each state.
            @MainActor private static func serve(at socket: String) async throws {
                try await withCoordinator(hosting: StarterFeature.self, listeningAt: socket) { coordinator in
                    let viewModel = try await coordinator.viewModel(StarterFeature.self)
                    for await text in viewModel.viewStates { print(text) }
                }
            }

            /// Sends one event as a client, waits until it has ended, and prints its outcome and the state.
            @MainActor private static func add(_ number: Int, at socket: String) async throws {
                try await withClient(connectingTo: socket) { client in
                    let viewModel = try await client.viewModel(StarterFeature.self)
                    let outcome = await viewModel.sendViewEvent(.addLater(number)).finish()
                    print(outcome, viewModel.viewState)
                }
            }

            private struct Usage: Error, CustomStringConvertible {
                let description = "usage: starter serve | starter add NUMBER"
            }
        }

        """#

    private static let tests = #"""
        import LatticeCore
        import StarterFeature
        import Testing

        /// The feature in the process of the tests. It needs no worker.
        @MainActor struct StarterFeatureTests {
            @Test("Numbers are added, at once and later")
            func adding() async {
                let viewModel = ViewModel(inProcess: StarterFeature.self)
                #expect(await viewModel.sendViewEvent(.add(2)).finish() == .finished)
                #expect(await viewModel.sendViewEvent(.addLater(3)).finish() == .finished)
                #expect(viewModel.viewState == "sum 5")
            }
        }

        """#

    private static let readme = #"""
        # starter

        A feature that runs in a worker process, a coordinator that supervises it, and clients that use it.

        ## Run it

        ```
        $ swift run starter serve
        ```

        In a second terminal:

        ```
        $ swift run starter add 3
        finished sum 3
        ```

        `swift test` tests the feature in the process of the tests.

        ## Files

        | file | contents |
        |---|---|
        | `Sources/StarterFeature/StarterFeature.swift` | the feature: its actions, its state, its interactor and its reducer |
        | `Sources/StarterProgram/Program.swift` | the program in its three roles: coordinator, worker and client |
        | `Tests/StarterFeatureTests/StarterFeatureTests.swift` | a test of the feature |

        ## Look into it

        While `starter serve` runs, use `latticectl`, which is part of Lattice. Build it in a clone of Lattice with
        `swift build -c release --product latticectl`, which writes it to `.build/release`.

        ```
        $ latticectl describe workers
        $ latticectl tail
        $ latticectl send starter '{"add":{"_0":4}}'
        ```

        Kill the worker with `kill -9` and its process ID. The next one continues with the last sum.

        """#
}
