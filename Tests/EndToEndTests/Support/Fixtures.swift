import Foundation
import LatticeCoordinator
import LatticeCore
import Logging
import Testing

/// A path for a socket in a new folder of this user, which is removed afterwards.
@MainActor func withSocketPath<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
    )
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder.appendingPathComponent("s").path)
}

/// An executable script of the shell in a new folder, which is removed afterwards.
@MainActor func withWorkerScript<Result>(_ text: String, _ body: (String) async throws -> Result) async throws -> Result
{
    try await withSocketPath { path in
        let script = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("worker").path
        try await writeScript(text, to: script)
        return try await body(script)
    }
}

func writeScript(_ text: String, to path: String) async throws {
    try await run("printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 700 \"$0\"", path, text)
}

/// Runs a shell line that writes executable files. If this process wrote them, a program that another test starts at
/// the same time could inherit an open descriptor, and the file could not be executed.
func run(_ line: String, _ arguments: String...) async throws {
    let run = try await Programs.run("/bin/sh", ["-c", line] + arguments)
    #expect(run.status == 0)
}

/// Starts workers from a program of this package, or from any other, without a word in the log.
func configuration(workers path: String) -> CoordinatorConfiguration {
    var configuration = CoordinatorConfiguration()
    configuration.workerExecutable = path
    configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    // Tests end workers one after the other.
    configuration.restart.initialDelay = .milliseconds(1)
    configuration.restart.maximumDelay = .milliseconds(10)
    configuration.restart.intensity.restarts = 100
    return configuration
}

/// Stops a child of this process, which does nothing more when this returns.
func stop(_ process: Int32) {
    kill(process, SIGSTOP)
    waitUntilStopped(process)
}

/// Waits until a child of this process is stopped.
func waitUntilStopped(_ process: Int32) {
    var stopped = siginfo_t()
    waitid(P_PID, id_t(process), &stopped, WSTOPPED | WNOWAIT)
}

/// The process that serves a view model now.
@MainActor func servingProcess(_ viewModel: ViewModel<some HostedFeature>) throws -> Int32 {
    switch viewModel.hostStatus {
    case .serving(let serving): return serving.processID
    // Where the machine is busy.
    case .unresponsive(let worker): return worker.processID
    case let host: throw NotServing(host: host)
    }
}

/// Returns whether the process exists.
func isThere(_ process: Int32) -> Bool { kill(process, 0) == 0 }

/// The processes that a process has started and not reaped: of Linux, which lists them by the threads that did.
func children(of process: Int32) throws -> [Int32] {
    let tasks = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).flatMap { thread in
        // A thread may end while the children are read.
        let list = (try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? ""
        return list.split(separator: " ").compactMap { Int32($0) }
    }
}

struct NotServing: Error {
    let host: HostStatus
}

/// A feature that no program hosts.
enum Stranger: HostedFeature {
    typealias Action = Int

    static let identifier = "stranger"
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor(in context: HostContext) -> Interact<Int, Int> { Interact { _, _ in .none } }
    static func reducer() -> BuildViewState<Int, Int> { BuildViewState(initial: { $0 }) { $1 = $0 } }
}

/// The counter of a later version.
enum NewerCounter: HostedFeature {
    typealias Action = Int

    static let identifier = "counter"
    static let schema = 2
    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor(in context: HostContext) -> Interact<Int, Int> { Interact { _, _ in .none } }
    static func reducer() -> BuildViewState<Int, Int> { BuildViewState(initial: { $0 }) { $1 = $0 } }
}
