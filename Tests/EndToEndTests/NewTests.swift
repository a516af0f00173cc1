import Foundation
import Testing

/// `latticectl new`.
@Suite(.timeLimit(.minutes(10))) struct NewTests {
    /// Runs `latticectl new` in a new folder, and removes the folder afterwards.
    private func with(
        _ arguments: [String],
        _ body: (Programs.Run, URL) async throws -> Void
    ) async throws {
        let own = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lattice-\(UUID().uuidString.prefix(8))"
        )
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: own) }
        try await body(try await run(arguments, in: own), own)
    }

    private func run(_ arguments: [String], in folder: URL) async throws -> Programs.Run {
        let line = "cd \"$0\" && exec \"$@\""
        let command = ["-c", line, folder.path, Programs.path("latticectl"), "new"] + arguments
        return try await Programs.run("/bin/sh", command, takesErrors: true)
    }

    /// The files below a folder, by their paths.
    private func files(in folder: URL) throws -> [String: String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try paths.reduce(into: [:]) { files, path in
            let file = folder.appendingPathComponent(path)
            guard try !(file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false) else { return }
            files[path] = try String(contentsOf: file, encoding: .utf8)
        }
    }

    @Test("Except for its name, a package is the one that this package builds and tests")
    func starter() async throws {
        try await with(["my-2nd-app", "--path", Programs.package.path]) { run, folder in
            #expect(run.status == 0, "\(run.output)")
            var written = try files(in: folder.appendingPathComponent("my-2nd-app"))
            #expect(written.removeValue(forKey: "Package.swift")?.contains("\"My2ndAppProgram\"") == true)
            #expect(written.removeValue(forKey: ".gitignore") == ".build\n")
            func original(_ text: String) -> String {
                text.replacingOccurrences(of: "My2ndApp", with: "Starter")
                    .replacingOccurrences(of: "my-2nd-app", with: "starter")
            }
            let texts = Dictionary(uniqueKeysWithValues: written.map { (original($0), original($1)) })
            // If they differ, copy the file of the example to PackageTemplate.swift.
            let example = try files(in: Programs.package.appendingPathComponent("Examples/Starter"))
            #expect(texts.keys.sorted() == example.keys.sorted())
            for (path, text) in example { #expect(texts[path] == text, "\(path)") }
        }
    }

    @Test("A name whose targets or executable this package has is refused")
    func clashes() async throws {
        try await with(["my-app", "--path", Programs.package.path]) { _, own in
            // The command of the tests holds the lock of the usual folder.
            let arguments = [
                "swift", "package", "--package-path", Programs.package.path, "--scratch-path", "\(own.path)/.build",
                "dump-package",
            ]
            let dump = try await Programs.run("/usr/bin/env", arguments)
            try #require(dump.status == 0, "swift package dump-package failed")
            let manifest = try JSONSerialization.jsonObject(with: Data(dump.output.utf8)) as? [String: Any]
            let targets = try #require(manifest?["targets"] as? [[String: Any]])
            let names = try Set(targets.filter { $0["type"] as? String != "test" }.flatMap(taken(by:)))
            #expect(names.isSuperset(of: ["latticectl", "starter", "tally", "unruly"]))
            for name in names.sorted() {
                let run = try await run([name, "--path", Programs.package.path], in: own)
                #expect(run.status == 64, "\(name)")
            }
        }
    }

    /// The names of new packages that have a target or an executable of the same name as a target of this package.
    private func taken(by target: [String: Any]) throws -> [String] {
        let name = try #require(target["name"] as? String)
        var names: [String] = []
        if target["type"] as? String == "executable", name.first?.isLowercase == true { names.append(name) }
        for end in ["Feature", "Program"] where name.hasSuffix(end) && name != end {
            let words = name.dropLast(end.count).map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }
            names.append(String(words.joined().drop { $0 == "-" }))
        }
        return names
    }

    /// The arguments, the dependency, and the name by which the package manager knows Lattice.
    static let sources: [(arguments: [String], dependency: String, package: String)] = [
        (
            ["--path", Programs.package.path], ".package(path: \"\(Programs.package.path)\", traits: [])",
            Programs.package.lastPathComponent
        ),
        (
            ["--url", "https://git.example.org/starter/lattice.git"],
            ".package(url: \"https://git.example.org/starter/lattice.git\", branch: \"main\", traits: [])", "lattice"
        ),
        // Only "/" separates parts for the package manager.
        (
            ["--url", "git@git.example.org:lattice.git"],
            ".package(url: \"git@git.example.org:lattice.git\", branch: \"main\", traits: [])",
            "git@git.example.org:lattice"
        ),
    ]

    @Test("A package has its name everywhere, and a manifest that the package manager understands", arguments: sources)
    func named(arguments: [String], dependency: String, lattice: String) async throws {
        try await with(["my-2nd-app"] + arguments) { run, folder in
            #expect(run.status == 0, "\(run.output)")
            let package = folder.appendingPathComponent("my-2nd-app")
            var written = try files(in: package)
            #expect(
                written.keys.sorted() == [
                    ".gitignore", "Package.swift", "README.md",
                    "Sources/My2ndAppFeature/My2ndAppFeature.swift", "Sources/My2ndAppProgram/Program.swift",
                    "Tests/My2ndAppFeatureTests/My2ndAppFeatureTests.swift",
                ]
            )
            #expect(written["Package.swift"]?.contains(dependency) == true)
            #expect(written["Package.swift"]?.contains("package: \"\(lattice)\")") == true)
            #expect(
                written["Sources/My2ndAppProgram/Program.swift"]?.contains("runtimeDirectory(\"my-2nd-app\")") == true
            )
            written["Package.swift"] = nil
            for (path, text) in written { #expect(!text.lowercased().contains("starter"), "\(path)") }
            let arguments = ["swift", "package", "--package-path", package.path, "dump-package"]
            let manifest = try await Programs.run("/usr/bin/env", arguments, takesErrors: true)
            #expect(manifest.status == 0, "\(manifest.output)")
            #expect(manifest.output.contains("\"My2ndAppFeatureTests\""))
        }
    }

    @Test("The folder with Lattice is next to the new one by default, and is given from the present folder otherwise")
    func folders() async throws {
        try await with(["first"]) { run, folder in
            // There is none.
            #expect(run.status == 3)
            #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("first").path))
            let link = folder.appendingPathComponent("lattice").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: Programs.package.path)
            for (name, arguments) in [("first", []), ("second", ["--path", "./lattice"])] {
                #expect(try await self.run([name] + arguments, in: folder).status == 0)
                let manifest = folder.appendingPathComponent("\(name)/Package.swift")
                let path = arguments.isEmpty ? "../lattice" : ".././lattice"
                #expect(try String(contentsOf: manifest, encoding: .utf8).contains("\"\(path)\""))
            }
        }
    }

    @Test("A folder that exists is left as it is")
    func exists() async throws {
        try await with(["my-app", "--path", Programs.package.path]) { first, folder in
            #expect(first.status == 0)
            let readme = folder.appendingPathComponent("my-app/README.md")
            try Data("mine".utf8).write(to: readme)
            let run = try await run(["my-app", "--path", Programs.package.path], in: folder)
            #expect(run.status == 3)
            #expect(
                run.output
                    == "latticectl: \"my-app\" exists already, and nothing was written. Choose another name, or remove"
                    + " it.\n"
            )
            #expect(try String(contentsOf: readme, encoding: .utf8) == "mine")
        }
    }

    static let wrong = [
        ["My-App"], ["2nd"], ["a--b"], ["a-"], ["-a"], ["a_b"], ["a/b"], ["../a"], [""], ["é"], ["lattice"],
        ["swift-log"], ["hosted"], ["index"], [String(repeating: "a", count: 41)], ["a", "--url", "u", "--path", "p"],
        ["a", "--path", ""], ["a", "--path", "\(Programs.package.path)/."], ["a", "--url", "/"],
        ["a", "--url", "https://git.example.org/.git"], ["a", "--url", "../lattice"],
        ["starter2", "--url", "https://git.example.org/Starter2.git"], [],
    ]

    @Test("A name that a package cannot have, and wrong use, are refused, and nothing is written", arguments: wrong)
    func refusals(arguments: [String]) async throws {
        let path = arguments.contains("--path") ? [] : ["--path", Programs.package.path]
        let all = arguments + (arguments.contains("--url") ? [] : path)
        try await with(all) { run, folder in
            #expect(run.status == 64, "\(run.output)")
            let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(written.isEmpty)
        }
    }
}
