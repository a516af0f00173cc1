import ArgumentParser
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Standard output or standard error. The text of one call stays together, from any thread.
package final class Console: TextOutputStream, Sendable {
    private static let pieceBytes = 64 * 1024

    private struct State {
        var buffer: [UInt8] = []
        var problem: Int32?
    }

    /// Standard output.
    package static let output = Console(STDOUT_FILENO)
    /// Standard error.
    package static let error = Console(STDERR_FILENO)

    private let descriptor: Int32
    private let state = Mutex(State())

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Makes writing to a closed pipe an error. Otherwise it would end the program, although others use it. The signal
    /// gets a handler and is not ignored, because a worker would inherit that.
    package static func survivePipes() { signal(SIGPIPE) { _ in } }

    /// A Boolean value that indicates whether the stream is a terminal.
    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The size of the terminal, or 0 if it is unknown.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Appends text to a buffer that is written in large pieces. ``finish(_:)`` writes the rest.
    package func write(_ text: String) { write(text.utf8) }

    /// Appends bytes, which need not be text, to the buffer.
    package func write(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            state.buffer.append(contentsOf: bytes)
            if state.buffer.count >= Self.pieceBytes { flush(&state) }
        }
    }

    /// Writes a text immediately.
    package func put(_ text: String) {
        state.withLock { state in
            state.buffer.append(contentsOf: text.utf8)
            flush(&state)
        }
    }

    /// Writes a line immediately.
    package func say(_ line: String) { put(line + "\n") }

    /// Writes the rest of the buffer.
    ///
    /// - Parameter complain: Receives the reason if not everything could be written. It is not called if the reader of
    ///   a pipe has closed it.
    /// - Throws: `ExitCode` after a failure.
    package func finish(_ complain: (String) -> Void) throws {
        let problem = state.withLock { state in
            flush(&state)
            return state.problem
        }
        guard let problem else { return }
        complain(String(cString: strerror(problem)))
        throw ExitCode(1)
    }

    private func flush(_ state: inout State) {
        var rest = state.buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                // A reader that has closed the pipe needs no message.
                if error != EPIPE { state.problem = error }
                break
            }
            rest = rest.dropFirst(count)
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}

/// Calls the system's `write`. Inside the type, the name means the type's own function.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
