import Foundation
import Testing

/// The executables that were built together with these tests.
enum Programs {
    /// The folder that the tests themselves run from.
    static let folder: URL = {
        #if canImport(Darwin)
        // The tests are a bundle there, which some other program loads.
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
        let path = bundle.components(separatedBy: ".xctest")[0]
        #else
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        #endif
        return URL(fileURLWithPath: path).deletingLastPathComponent()
    }()

    static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The root of the package.
    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct Run: Sendable {
        let status: Int32
        let output: String
    }

    /// Runs a program of this package to its end. What it writes to standard error is left out.
    static func run(_ name: String, _ arguments: String...) async throws -> Run {
        try await run(path(name), arguments)
    }

    /// Runs `lattice-bench`, and returns what it prints.
    ///
    /// - Parameter divisor: The number by which its numbers of operations are divided.
    static func bench(_ arguments: [String], dividedBy divisor: Int) async throws -> String {
        let command = ["PEERS_DIV=\(divisor)", path("lattice-bench")] + arguments
        let run = try await run("/usr/bin/env", command, takesErrors: true)
        #expect(run.status == 0, "\(run.output)")
        return run.output
    }

    /// Runs any program to its end.
    ///
    /// - Parameter takesErrors: Whether what it writes to standard error is part of the output.
    static func run(_ path: String, _ arguments: [String], takesErrors: Bool = false) async throws -> Run {
        try await onAThread {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            process.standardError = takesErrors ? output : FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let data = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return Run(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
        }
    }
}
