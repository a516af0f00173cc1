import ArgumentParser
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Standard output or standard error. What one call writes stays together, from whatever thread it comes.
package final class Console: TextOutputStream, Sendable {
    private static let pieceBytes = 64 * 1024

    private struct State {
        var buffer: [UInt8] = []
        var problem: Int32?
    }

    package static let output = Console(STDOUT_FILENO)
    package static let error = Console(STDERR_FILENO)

    private let descriptor: Int32
    private let state = Mutex(State())

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// A reader that goes away must not end a program that others watch: writing just fails from then on. A handler, as
    /// what is ignored would stay ignored in the worker.
    package static func survivePipes() { signal(SIGPIPE) { _ in } }

    package var isTerminal: Bool { isatty(descriptor) == 1 }

    /// How large the terminal is; 0 where it does not say.
    package var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (0, 0) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Gathers text, which goes out in large pieces; ``finish(_:)`` writes the last of them.
    package func write(_ text: String) { write(text.utf8) }

    /// The same for bytes, which need not be text.
    package func write(_ bytes: some Sequence<UInt8>) {
        state.withLock { state in
            state.buffer.append(contentsOf: bytes)
            if state.buffer.count >= Self.pieceBytes { flush(&state) }
        }
    }

    /// Writes a text at once.
    package func put(_ text: String) {
        state.withLock { state in
            state.buffer.append(contentsOf: text.utf8)
            flush(&state)
        }
    }

    /// Writes a line at once.
    package func say(_ line: String) { put(line + "\n") }

    /// The end of what is written.
    ///
    /// - Parameter complain: Called with the reason if not everything was written, unless nobody reads it any more.
    /// - Throws: `ExitCode` after that.
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
                // A reader that has gone away is nobody to complain to.
                if error != EPIPE { state.problem = error }
                break
            }
            rest = rest.dropFirst(count)
        }
        state.buffer.removeAll(keepingCapacity: true)
    }
}

/// The system's `write`, which inside the type is its own.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
