import Foundation

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

    struct Run {
        let status: Int32
        let output: String
    }

    /// Runs a program of this package to its end. What it writes to standard error is left out.
    static func run(_ name: String, _ arguments: String...) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path(name))
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }
}
