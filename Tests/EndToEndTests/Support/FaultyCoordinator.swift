import Foundation
import LatticeTestSupport

/// A coordinator in a process of its own, `faulty`, which is told what to do line by line.
@MainActor final class FaultyCoordinator {
    private let process = Process()
    private let input = Pipe()
    /// What it has said so far.
    let lines = Watched<[String]>([])

    /// Ended at the end, whatever it does.
    ///
    /// - Parameters:
    ///   - program: A copy of `faulty`, if not the one beside the tests.
    ///   - shell: What a shell does before it becomes the coordinator, such as `ulimit -n 64`.
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
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest = rest[(end + 1)...]
                    lines.change { $0.append(line) }
                }
            }
            lines.change { $0.append("end of output") }
        }
    }

    func say(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func end(_ signal: Int32) {
        if process.isRunning { kill(process.processIdentifier, signal) }
    }

    func until(_ line: String) async throws {
        try await lines.until { $0.contains(line) }
    }

    /// The worker's process, once there is one that serves.
    func worker(number: Int = 1) async throws -> Int32 {
        let found = try await lines.until { $0.count { $0.hasPrefix("worker ") || $0.hasPrefix("serving ") } >= number }
        let words = found.filter { $0.hasPrefix("worker ") || $0.hasPrefix("serving ") }[number - 1].split(
            separator: " "
        )
        return Int32(words[1]) ?? -1
    }
}

/// Whether a process runs: neither gone nor waiting to be taken out of the process table.
func isRunning(_ process: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let rest = status.split(separator: ")").last?.split(separator: " ")
    else { return false }
    return rest.first != "Z" && rest.first != "X"
}

/// Looks until a condition holds, or a generous time has passed.
@MainActor func holds(within limit: Duration = .seconds(10), _ condition: @MainActor () throws -> Bool) async rethrows
    -> Bool
{
    let end = ContinuousClock.now + limit
    while try !condition() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
