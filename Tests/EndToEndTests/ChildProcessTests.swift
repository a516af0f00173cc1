import Foundation
import LatticeTestSupport
import LatticeTransport
import Testing

/// Programs as the coordinator starts them.
@Suite(.timeLimit(.minutes(2))) struct ChildProcessTests {
    @Test(
        "a signal that was sent before the program was there is not lost; of several the last one counts",
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
        // Its start was told all the same: somebody reads its output until then.
        #expect(started.value != nil)
        // There is nobody left who could get it.
        child.signal(SIGKILL)
    }

    @Test("a program that was not signalled before its start goes on until it is")
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

    @Test("a signal for a program that cannot be started changes nothing")
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
        "a variable replaces this process's, whatever its value begins with",
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
