import CLatticeSystem
import LatticeConcurrency
package import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// One run of a program whose streams this process provides and reads.
///
/// One thread reads both outputs. It waits for nothing else, so a program never waits for a slow reader of its output.
/// The program is a ``ChildProcess``: when it has ended, no process that it started is left.
package final class ProgramRun: Sendable {
    /// The standard input of the program.
    package enum Input: Sendable {
        /// Input that is empty.
        case empty
        /// These bytes, in a file without a name.
        case bytes([UInt8])
        /// A file, which must exist.
        case file(String)
    }

    /// The place to which the program writes.
    package enum Output: Sendable {
        /// This process reads it.
        case read
        /// It is dropped.
        case discarded
        /// A file, which is created or emptied.
        case file(String)
    }

    /// An output of a program.
    package enum Stream: Sendable {
        case output, error
    }

    private typealias Pipe = (stream: Stream, reader: OwnedDescriptor)

    /// The name of the variable that marks the processes of such a program.
    private static let lineageName = "LATTICE_PROGRAM"
    /// The maximum number of bytes that one call reads.
    private static let bytesPerRead = 64 * 1024
    /// The maximum number of reads of one output before the other one is looked at. It also bounds what is read after
    /// the end of the program, and is more than a pipe holds.
    private static let readsInTurn = 32

    private let child = ChildProcess()

    package init() {}

    /// Sends a signal to the program and its process group, as soon as the program runs, unless it has ended.
    package func signal(_ number: Int32) {
        child.signal(number)
    }

    /// The CPU time of the program itself, once it has ended.
    package var cpuTime: Duration { child.cpuTime }

    /// Runs the program to its end. Call it once. Cancelling the calling task does not end the program.
    ///
    /// - Parameters:
    ///   - program: The program. Its lineage is replaced.
    ///   - input: The standard input.
    ///   - output: The standard output.
    ///   - onStart: Called with the process identifier when the program runs, on a thread of its own.
    ///   - onOutput: Called with pieces of the output and of the standard error, on another thread of its own. The
    ///     bytes are valid during the call.
    /// - Returns: How the program ended. All output has been read by then.
    /// - Throws: The reason why the program was not started.
    package func run(
        _ program: Program,
        input: Input,
        output: Output,
        onStart: @escaping @Sendable (Int32) -> Void,
        onOutput: @escaping @Sendable (Stream, UnsafeRawBufferPointer) -> Void
    ) async throws(TransportError) -> ChildProcess.End {
        var program = program
        program.lineage = String(UInt128.random(in: 0...(.max)), radix: 16)
        program.lineageName = Self.lineageName
        let directory = program.directory
        var pipes: [Pipe] = []
        let source = try Self.openInput(input, in: directory)
        let target: OwnedDescriptor
        switch output {
        case .read:
            let pipe = try Self.pipe()
            pipes.append((.output, pipe.reader))
            target = pipe.writer
        case .discarded: target = try Self.openFile("/dev/null", O_WRONLY, in: nil)
        case .file(let path): target = try Self.openFile(path, O_WRONLY | O_CREAT | O_TRUNC, in: directory)
        }
        let error = try Self.pipe()
        pipes.append((.error, error.reader))
        // The writing end is closed when the program has ended, which wakes the reader.
        let wake = try Self.pipe()
        let isRead = OneShot<Void>()
        try System.startThread(name: "lattice-program") { [pipes] in
            Self.read(pipes, until: wake.reader, onOutput)
            isRead.complete()
        }
        let streams = ChildProcess.Streams(input: source, output: target, error: error.writer)
        let end = await withCheckedContinuation { waiter in
            child.start(program, streams, onStart: onStart) {
                wake.writer.close()
                waiter.resume(returning: $0)
            }
        }
        // A cancelled task waits too.
        _ = await Task(executorPreference: ThreadPool.shared) { await isRead.wait() }.value
        return try end.get()
    }

    // MARK: Reading

    private static func read(
        _ pipes: [Pipe],
        until wake: OwnedDescriptor,
        _ onOutput: (Stream, UnsafeRawBufferPointer) -> Void
    ) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytesPerRead, alignment: 16)
        defer { buffer.deallocate() }
        var open = pipes
        var isOver = false
        while !open.isEmpty, !isOver {
            var waiting = (open.map(\.reader) + [wake]).map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
            _ = System.call { poll(&waiting, nfds_t(waiting.count), -1) }
            isOver = waiting.last?.revents != 0
            open.removeAll { isAtEnd($0, buffer, onOutput) }
        }
        for pipe in open { pipe.reader.close() }
        wake.close()
    }

    /// Reads what an output has at the moment.
    ///
    /// - Returns: Whether nothing can come any more. The descriptor is then closed.
    private static func isAtEnd(
        _ pipe: Pipe,
        _ buffer: UnsafeMutableRawBufferPointer,
        _ onOutput: (Stream, UnsafeRawBufferPointer) -> Void
    ) -> Bool {
        for _ in 1...readsInTurn {
            let (count, error) = System.call {
                Int32(clamping: CLatticeSystem.read(pipe.reader.number, buffer.baseAddress, buffer.count))
            }
            if count > 0 {
                onOutput(pipe.stream, UnsafeRawBufferPointer(rebasing: buffer.prefix(Int(count))))
            } else {
                guard count < 0, error == EAGAIN || error == EWOULDBLOCK else {
                    pipe.reader.close()
                    return true
                }
                return false
            }
        }
        return false
    }

    // MARK: Files

    private static func pipe() throws(TransportError) -> (reader: OwnedDescriptor, writer: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        let error = lattice_pipe(&ends)
        guard error == 0 else { throw .system("make a pipe", error) }
        return (OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1]))
    }

    private static func openInput(_ input: Input, in directory: String?) throws(TransportError) -> OwnedDescriptor {
        switch input {
        case .empty: try openFile("/dev/null", O_RDONLY, in: nil)
        case .file(let path): try openFile(path, O_RDONLY, in: directory)
        case .bytes(let bytes): try hold(bytes)
        }
    }

    private static func openFile(
        _ path: String,
        _ flags: Int32,
        in directory: String?
    ) throws(TransportError) -> OwnedDescriptor {
        let whole = directory.map { path.hasPrefix("/") ? path : "\($0)/\(path)" } ?? path
        let (number, error) = System.call { open(whole, flags | O_CLOEXEC, 0o666) }
        guard number >= 0 else { throw .system("open the file \(whole)", error) }
        return OwnedDescriptor(number)
    }

    /// Puts bytes into a file without a name, so that a program that does not read them keeps nothing waiting.
    private static func hold(_ bytes: [UInt8]) throws(TransportError) -> OwnedDescriptor {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(folder)/lattice-input.XXXXXX".utf8CString)
        let (number, error) = System.call { mkstemp(&template) }
        guard number >= 0 else { throw .system("make a file in \(folder) for the input of a program", error) }
        let file = OwnedDescriptor(number)
        unlink(template)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        var written = 0
        while written < bytes.count {
            let (count, error) = bytes.withUnsafeBytes { bytes in
                System.call {
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                    return Int32(clamping: CLatticeSystem.write(number, rest.baseAddress, min(rest.count, 1 << 30)))
                }
            }
            guard count > 0 else { throw .system("write the input of a program to a file in \(folder)", error) }
            written += Int(count)
        }
        lseek(number, 0, SEEK_SET)
        return file
    }
}

extension ProgramRun {
    /// Finds an executable by its name, as a shell does.
    ///
    /// - Parameters:
    ///   - name: A name, or a path, which contains a slash and is returned as it is.
    ///   - path: The folders to search, separated by colons, or nil for those of this process.
    /// - Returns: The path of the executable, or nil if no folder has one with this name.
    package static func executable(named name: String, in path: String?) -> String? {
        guard !name.contains("/") else { return name }
        let folders = path ?? getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        guard !name.isEmpty else { return nil }
        for folder in folders.split(separator: ":") {
            let candidate = "\(folder)/\(name)"
            var status = stat()
            guard stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(candidate, X_OK) == 0 else {
                continue
            }
            return candidate
        }
        return nil
    }
}
