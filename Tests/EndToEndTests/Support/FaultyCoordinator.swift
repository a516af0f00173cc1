import ExampleSupport
import Foundation
import LatticeTestSupport

/// A coordinator in a separate process, `faulty`, that takes commands line by line.
@MainActor final class FaultyCoordinator {
    private let process = Process()
    private let input = Pipe()
    /// The lines that the process has printed so far.
    let lines = Watched<[String]>([])

    /// Runs a test with the process, and ends the process afterwards.
    ///
    /// - Parameters:
    ///   - program: The path of a copy of `faulty`. By default it is the one next to the tests.
    ///   - shell: A shell command that runs before the coordinator, such as `ulimit -n 64`.
    static func with(
        _ program: String = Programs.path("faulty"),
        listeningAt path: String,
        worker: String,
        _ arguments: [String] = [],
        after shell: String = "true",
        _ body: @MainActor (FaultyCoordinator) async throws -> Void
    ) async throws {
        let coordinator = FaultyCoordinator()
        try coordinator.start(shell, [program, path, worker] + arguments)
        defer { coordinator.end(SIGKILL) }
        try await body(coordinator)
    }

    var processID: Int32 { process.processIdentifier }

    private func start(_ shell: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", shell + "; exec \"$0\" \"$@\""] + arguments
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        Thread.detachNewThread { [lines] in
            var splitter = LineSplitter()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                for line in splitter.feed(data) { lines.change { $0.append(line) } }
            }
            lines.change { $0.append(Self.end) }
        }
    }

    /// The code with which it ended, once it has.
    func status() async -> Int32 {
        while process.isRunning { await Task.yield() }
        return process.terminationStatus
    }

    func say(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func end(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    private nonisolated static let end = "end of output"

    /// Whether it has said this line.
    func hasSaid(_ line: String) -> Bool { lines.value.contains(line) }

    /// Whether its output has ended.
    var hasEnded: Bool { lines.value.last == Self.end }

    /// Returns when it has said this line; throws when it has ended without.
    func until(_ line: String) async throws {
        let lines = try await lines.until { $0.contains(line) || $0.last == Self.end }
        guard lines.contains(line) else { throw NotSaid(line: line) }
    }

    /// Waits until a worker serves, and returns its process ID.
    func worker(number: Int = 1) async throws -> Int32 {
        let read = try await lines.until { Self.workers($0).count >= number || $0.last == Self.end }
        guard let worker = Self.workers(read).dropFirst(number - 1).first else { throw NotSaid(line: "worker") }
        return worker
    }

    /// The process that is a copy of it, once there is one.
    func copy() async throws -> Int32 {
        let read = try await lines.until { lines in
            lines.contains { $0.hasPrefix("copy ") } || lines.last == Self.end
        }
        let words = read.first { $0.hasPrefix("copy ") }?.split(separator: " ")
        guard let copy = words?.last.flatMap({ Int32($0) }) else { throw NotSaid(line: "copy") }
        return copy
    }

    private nonisolated static func workers(_ lines: [String]) -> [Int32] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            return ["worker", "serving"].contains(words.first) ? words.last.flatMap { Int32($0) } : nil
        }
    }
}
