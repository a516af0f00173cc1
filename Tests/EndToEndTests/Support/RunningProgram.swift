import Foundation

/// A program of this package while it runs.
@MainActor final class RunningProgram {
    /// The exit status or signal of a process.
    struct End: Equatable {
        let reason: Process.TerminationReason
        let status: Int32
    }

    private let process = Process()
    private let input: Pipe?
    private let output: AsyncStream<Data>
    private let ended: AsyncStream<End>

    fileprivate init(
        _ name: String,
        _ arguments: [String],
        _ environment: [String: String],
        hears: Bool,
        isRead: Bool
    ) throws {
        input = hears ? Pipe() : nil
        let (ended, continuation) = AsyncStream<End>.makeStream()
        self.ended = ended
        process.executableURL = URL(fileURLWithPath: name.hasPrefix("/") ? name : Programs.path(name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        let (output, writer) = AsyncStream<Data>.makeStream()
        self.output = output
        // A thread reads the pipe instead of a dispatch source. A dispatch source can get an event of a closed
        // descriptor, and then crashes.
        Thread.detachNewThread { [reading = pipe.fileHandleForReading] in
            defer { writer.finish() }
            var readable = pollfd(fd: reading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard isRead else {
                while poll(&readable, 1, -1) < 0, errno == EINTR {}
                writer.yield(Data())
                return
            }
            while case let data = reading.availableData, !data.isEmpty { writer.yield(data) }
        }
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = input ?? FileHandle.nullDevice
        process.terminationHandler = { process in
            continuation.yield(End(reason: process.terminationReason, status: process.terminationStatus))
            continuation.finish()
        }
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Writes a line to the program's standard input, which is open then until `stopTalking`.
    func tell(_ line: String) throws {
        try input?.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    func stopTalking() throws {
        try input?.fileHandleForWriting.close()
    }

    /// Returns when the program has written this line to its standard output.
    func says(_ line: String) async throws {
        var said = ""
        for await data in output {
            said += String(decoding: data, as: UTF8.self)
            if said.split(separator: "\n").contains(Substring(line)) { return }
        }
        throw NotSaid(line: line)
    }

    /// Returns the first whole line that the program writes from now on and that contains a text.
    func line(containing text: String) async throws -> String {
        var said = Data()
        for await data in output {
            said += data
            let lines = said.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in lines.dropLast().map({ String(decoding: $0, as: UTF8.self) }) where line.contains(text) {
                return line
            }
            said = lines.last.map { Data($0) } ?? Data()
        }
        throw NotSaid(line: text)
    }

    /// All that the program writes to its standard output from now on, once it has closed that.
    func restOfOutput() async -> String {
        var said = Data()
        for await data in output { said += data }
        return String(decoding: said, as: UTF8.self)
    }

    /// Returns when the program has begun to write to its standard output, whether that is read or not.
    func saysSomething() async {
        for await _ in output { return }
    }

    /// Waits until the program has ended, and returns how.
    func end() async -> End? {
        for await end in ended { return end }
        return nil
    }

    fileprivate func kill() {
        if process.isRunning { Foundation.kill(identifier, SIGKILL) }
    }
}

struct NotSaid: Error {
    let line: String
}

/// Starts a program, and ends it after `body`.
///
/// - Parameters:
///   - name: The name of a program of this package, or the path of any program.
///   - hears: Whether the test writes to its standard input. Otherwise the input is empty.
///   - isRead: Whether the test reads its standard output.
@MainActor func withProgram(
    _ name: String,
    _ arguments: [String],
    _ environment: [String: String] = [:],
    hears: Bool = false,
    isRead: Bool = true,
    _ body: (RunningProgram) async throws -> Void
) async throws {
    let program = try RunningProgram(name, arguments, environment, hears: hears, isRead: isRead)
    defer { program.kill() }
    try await body(program)
}
