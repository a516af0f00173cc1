import Glibc
import LatticeConcurrency
import LatticeProcess
import LatticeToolSupport
import LatticeTransport

/// Another process of this program that is not a worker and that no coordinator knows.
struct OtherProcess: Sendable {
    /// The maximum time for the process to start and to end.
    private static let timeout: Duration = .seconds(20)

    let processID: Int32
    /// The line that the process printed when it was ready.
    let greeting: String

    /// Starts the process, and ends its process group when the closure returns.
    ///
    /// - Parameters:
    ///   - arguments: The arguments for a command that calls `greet` first.
    ///   - body: Runs while the process runs.
    /// - Throws: `BenchError` if the process does not start or end in time, or any error that `body` throws.
    @MainActor static func with<Result>(
        _ arguments: String...,
        body: @MainActor (OtherProcess) async throws -> Result
    ) async throws -> Result {
        let reactor = try Reactor.start(name: "bench")
        defer { reactor.stop() }
        // The socket is closed at the end, and also when this process ends in any way.
        let (connection, input) = try SocketConnection.pair(reactor: reactor)
        defer { connection.close() }
        let output = try PipeReader.pipe(reactor: reactor)
        let streams = ChildProcess.Streams(
            input: input,
            output: output.writing,
            error: OwnedDescriptor(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0))
        )
        let (started, greeting, ended) = (OneShot<Int32>(), OneShot<String>(), OneShot<Void>())
        let program = Program(path: "/proc/self/exe", arguments: ["lattice-bench"] + arguments, environment: [:])
        let child = ChildProcess()
        child.start(program, streams) {
            started.complete($0)
        } onEnd: { _ in
            ended.complete()
        }
        // The greeting is one line that is short enough to arrive in one piece.
        output.reader.start {
            greeting.complete(String(decoding: $0, as: UTF8.self))
        } onEnd: { _ in
        }
        defer { child.signal(SIGKILL) }
        let process = try await Deadline.run(within: timeout, waitingFor: "the start of another process") {
            OtherProcess(processID: try await started.value, greeting: try await greeting.value)
        }
        let result = try await body(process)
        child.signal(SIGKILL)
        try await Deadline.run(within: timeout, waitingFor: "the end of another process") { try await ended.value }
        return result
    }

    /// Reports that this process, which was started by `with`, is ready. From now on it ends together with the process
    /// that started it.
    static func greet(_ line: String) throws {
        try HangUpWatch.start(on: SocketConnection.takeStandardInput())
        Console.put(line)
    }

    /// Starts a program in this process's group without waiting for its end.
    static func start(_ words: String...) throws(BenchError) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = -1
        let error = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard error == 0 else { throw BenchError("cannot start \(words): \(String(cString: strerror(error)))") }
        return process
    }
}
