import Glibc
import LatticeConcurrency
import LatticeTransport

/// This program once more, as a process that is no worker: no coordinator knows of it.
struct OtherProcess: Sendable {
    /// How long it may take to start, and to end.
    private static let limit: Duration = .seconds(20)

    let processID: Int32
    /// What it said when it was ready.
    let greeting: String

    /// Starts it, and ends it with its process group when the closure returns.
    ///
    /// - Parameter arguments: Of a command that begins with `greet`.
    /// - Throws: `BenchError` if it does not start or end in time, or what `body` throws.
    @MainActor static func with<Result>(
        _ arguments: String...,
        body: @MainActor (OtherProcess) async throws -> Result
    ) async throws -> Result {
        let reactor = try Reactor.start(name: "bench")
        defer { reactor.stop() }
        // Closed at the end, and with this process, however it ends.
        let (connection, input) = try SocketConnection.pair(reactor: reactor)
        defer { connection.close() }
        let output = try PipeReader.pipe(reactor: reactor)
        let streams = ChildProcess.Streams(
            input: input,
            output: output.writing,
            error: OwnedDescriptor(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0))
        )
        let (started, greeting, ended) = (OneShot<Int32>(), OneShot<String>(), OneShot<Void>())
        let program = Program(path: "/proc/self/exe", arguments: ["latticectl"] + arguments, environment: [:])
        let child = ChildProcess()
        child.start(program, streams) {
            started.complete($0)
        } onEnd: { _ in
            ended.complete()
        }
        // A line that is shorter than what a pipe moves at once.
        output.reader.start {
            greeting.complete(String(decoding: $0, as: UTF8.self))
        } onEnd: { _ in
        }
        defer { child.signal(SIGKILL) }
        let process = try await Deadline.run(within: limit, waitingFor: "the start of another process") {
            OtherProcess(processID: try await started.value, greeting: try await greeting.value)
        }
        let result = try await body(process)
        child.signal(SIGKILL)
        try await Deadline.run(within: limit, waitingFor: "the end of another process") { try await ended.value }
        return result
    }

    /// Says that this process, which was started by `with`, is ready, and has it end with the one that started it.
    static func greet(_ line: String) throws {
        try HangUpWatch.start(on: SocketConnection.takeStandardInput())
        Console.put(line)
    }

    /// Starts a program whose end nobody here waits for, in this process's group.
    static func start(_ words: String...) throws(BenchError) -> Int32 {
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = -1
        let error = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard error == 0 else { throw BenchError("cannot start \(words): \(String(cString: strerror(error)))") }
        return process
    }
}
