import Foundation

/// Runs the built macros as a program: see `ExpandCommand` in LatticeMacros for its options and its output.
enum Expander {
    /// The result of expanding the macros in a source.
    struct Expansion {
        var expanded = ""
        var fixed = ""
        var syntaxErrors: [String] = []
        var diagnostics: [ActualDiagnostic] = []
    }

    struct ActualDiagnostic {
        let id: String
        let message: String
        let line: String
        let column: String
        let severity: String
        var fixIts: [String] = []
    }

    struct Failure: Error {
        let reason: String
    }

    static func expand(_ source: String, macros: [ExpandedMacro], applying fixIts: [String]) throws -> Expansion {
        let options = macros.flatMap { ["--macro", $0.option] } + fixIts.flatMap { ["--fix", $0] }
        return try expansion(from: run(["expand"] + options, input: source))
    }

    /// Files take the place of pipes: a program that another test starts at the same moment may inherit the end of a
    /// pipe, and its reader would then wait for that program.
    private static func run(_ arguments: [String], input: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-macros-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let inputFile = folder.appendingPathComponent("input")
        let outputFile = folder.appendingPathComponent("output")
        try Data(input.utf8).write(to: inputFile)
        try Data().write(to: outputFile)

        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(reason: "\(program.path) ended with \(process.terminationStatus).")
        }
        return try String(decoding: Data(contentsOf: outputFile), as: UTF8.self)
    }

    /// The macros' program is built into the folder of the tests.
    private static let program: URL = {
        #if canImport(Darwin)
        // The tests are a bundle there, which another program loads.
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
        let path = bundle.components(separatedBy: ".xctest")[0]
        #else
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        #endif
        return URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("LatticeMacros-tool")
    }()

    private static func expansion(from output: String) throws -> Expansion {
        var result = Expansion()
        var fields = output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)[...]
        func next() throws -> String {
            guard let field = fields.popFirst() else { throw Failure(reason: "The output ends within a record.") }
            return field
        }
        while let kind = fields.popFirst() {
            switch kind {
            case "expanded": result.expanded = try next()
            case "fixed": result.fixed = try next()
            case "syntaxError": result.syntaxErrors.append(try next())
            case "fixIt" where !result.diagnostics.isEmpty:
                result.diagnostics[result.diagnostics.count - 1].fixIts.append(try next())
            case "diagnostic":
                result.diagnostics.append(
                    ActualDiagnostic(
                        id: try next(),
                        message: try next(),
                        line: try next(),
                        column: try next(),
                        severity: try next()
                    )
                )
            default: throw Failure(reason: "'\(kind)' is no kind of record.")
            }
        }
        return result
    }
}
