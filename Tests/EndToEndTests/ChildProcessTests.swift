import Foundation
import LatticeProcess
import LatticeTestSupport
import LatticeTransport
import Testing

/// Programs as the coordinator starts them.
@Suite(.timeLimit(.minutes(10))) struct ChildProcessTests {
    @Test(
        "A signal sent before the program has started is not lost, and the last of several counts",
        arguments: [[SIGTERM], [SIGKILL], [SIGTERM, SIGKILL], [SIGHUP, SIGTERM]]
    )
    func signalsBeforeTheStart(signals: [Int32]) async throws {
        let child = ChildProcess()
        for signal in signals { child.signal(signal) }
        let started = Watched<Int32?>(nil)
        let end = Watched<Result<ChildProcess.End, TransportError>?>(nil)
        child.start(Self.sleeping("/bin/sleep"), try Self.noStreams()) { process in
            started.change { $0 = process }
        } onEnd: { result in
            end.change { $0 = result }
        }
        let result = try await end.until { $0 != nil }
        #expect(try result?.get() == signals.last.map { .signaled($0) })
        // The start is reported although a signal has ended the program, because its output may be read until then.
        #expect(started.value != nil)
        // No process is left that could receive the signal.
        child.signal(SIGKILL)
    }

    @Test("A program that got no signal before its start runs until it gets one")
    func signalsAfterTheStart() async throws {
        let child = ChildProcess()
        let end = Watched<Result<ChildProcess.End, TransportError>?>(nil)
        child.start(Self.sleeping("/bin/sleep"), try Self.noStreams()) { process in
            #expect(kill(process, 0) == 0)
            child.signal(SIGTERM)
        } onEnd: { result in
            end.change { $0 = result }
        }
        #expect(try await end.until { $0 != nil }?.get() == .signaled(SIGTERM))
    }

    @Test("A signal for a program that cannot be started has no effect")
    func signalsForNobody() async throws {
        let child = ChildProcess()
        child.signal(SIGTERM)
        let end = Watched<Result<ChildProcess.End, TransportError>?>(nil)
        child.start(Self.sleeping("/nowhere/sleep"), try Self.noStreams()) { _ in
            Issue.record("it was started")
        } onEnd: { result in
            end.change { $0 = result }
        }
        let result = try await end.until { $0 != nil }
        #expect(throws: TransportError.self) { try result?.get() }
    }

    @Test(
        "A variable replaces the inherited one, whatever its value begins with",
        arguments: ["x", "\u{301}x", "\u{200d}", ""]
    )
    @MainActor func variablesReplaceOthers(value: String) async throws {
        try await withSocketPath { file in
            let output = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            try #require(output >= 0)
            let streams = try Self.noStreams(output: OwnedDescriptor(output))
            let end = Watched<Result<ChildProcess.End, TransportError>?>(nil)
            let program = Program(path: "/usr/bin/env", arguments: ["env"], environment: ["PATH": value])
            ChildProcess().start(program, streams) { _ in
            } onEnd: { result in
                end.change { $0 = result }
            }
            #expect(try await end.until { $0 != nil }?.get() == .exited(0))
            let lines = try Data(contentsOf: URL(filePath: file)).split(separator: UInt8(ascii: "\n"))
            #expect(lines.filter { $0.starts(with: Data("PATH=".utf8)) } == [Data("PATH=\(value)".utf8)])
        }
    }

    #if os(Linux)
    @Test("A program inherits none of the variables with which systemd addresses this process")
    func serviceManager() async throws {
        await #expect(processExitsWith: .success) {
            let names = [
                "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID", "NOTIFY_SOCKET", "WATCHDOG_PID",
                "WATCHDOG_USEC",
            ]
            for name in names + ["LISTEN_OTHER"] { setenv(name, "1", 1) }
            let script = "test \"$LISTEN_OTHER\" = 1 && ! env | grep -E '^(" + names.joined(separator: "|") + ")='"
            let end = try await ChildProcessTests.end(of: script)
            precondition(end == .exited(0), "\(end)")
        }
    }

    @Test("The exit status of a program is known although SIGCHLD was ignored when this process began (F88)")
    func childrenIgnoredFromTheStart() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            for (script, end) in [("exit 3", ChildProcess.End.exited(3)), ("kill -SEGV $$", .signaled(SIGSEGV))] {
                let found = try await ChildProcessTests.end(of: script)
                precondition(found == end, "\(found)")
            }
        }
    }

    @Test("A status that is lost because SIGCHLD is ignored again is reported as lost, and the next one is known (F88)")
    func childrenIgnoredMeanwhile() async throws {
        await #expect(processExitsWith: .success) {
            let lost = try await ChildProcessTests.end(of: "read line; exit 3") { signal(SIGCHLD, SIG_IGN) }
            precondition(lost == .unknown(.ignored), "\(lost)")
            let known = try await ChildProcessTests.end(of: "exit 3")
            precondition(known == .exited(3), "\(known)")
        }
    }

    @Test("An end is always reported, with its status or as lost, although another thread waits for all children (F88)")
    func childrenTaken() async throws {
        await #expect(processExitsWith: .success) {
            Thread.detachNewThread { while true { if waitpid(-1, nil, 0) < 0 { sched_yield() } } }
            for _ in 1...20 {
                let end = try await ChildProcessTests.end(of: "exit 3")
                precondition([.exited(3), .unknown(.taken)].contains(end), "\(end)")
            }
        }
    }

    /// Runs a shell script, closes its input after `change`, and returns how the script ended.
    private static func end(of script: String, _ change: @escaping @Sendable () -> Void = {}) async throws
        -> ChildProcess.End
    {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let streams = ChildProcess.Streams(
            input: OwnedDescriptor(ends[0]),
            output: OwnedDescriptor(dup(STDERR_FILENO)),
            error: OwnedDescriptor(dup(STDERR_FILENO))
        )
        let writing = OwnedDescriptor(ends[1])
        let end = Watched<Result<ChildProcess.End, TransportError>?>(nil)
        let program = Program(path: "/bin/sh", arguments: ["sh", "-c", script], environment: [:])
        ChildProcess().start(program, streams) { _ in
            change()
            writing.close()
        } onEnd: { result in
            end.change { $0 = result }
        }
        return try await end.until { $0 != nil }?.get() ?? .unknown(.taken)
    }
    #endif

    private static func sleeping(_ path: String) -> Program {
        Program(path: path, arguments: [path, "60"], environment: [:])
    }

    private static func noStreams(output: OwnedDescriptor? = nil) throws -> ChildProcess.Streams {
        func null() throws -> OwnedDescriptor {
            let descriptor = open("/dev/null", O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0)
            return OwnedDescriptor(descriptor)
        }
        return ChildProcess.Streams(input: try null(), output: try output ?? null(), error: try null())
    }
}
