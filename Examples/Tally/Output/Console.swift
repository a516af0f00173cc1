import ArgumentParser
import Glibc

/// Standard output or standard error, written in large pieces.
struct Console: TextOutputStream {
    private static let pieceBytes = 64 * 1024

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Why not everything was written; nil if it was, or if nobody reads it any more.
    private(set) var problem: String?

    static var output: Console { Console(descriptor: STDOUT_FILENO) }
    static var error: Console { Console(descriptor: STDERR_FILENO) }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// A reader that goes away must not end a tally that others watch: writing just fails from then on. A handler, as what
    /// is ignored would stay ignored in the worker.
    static func survivePipes() { signal(SIGPIPE) { _ in } }

    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Columns of the terminal, 80 if it does not say.
    var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    mutating func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.pieceBytes { flush() }
    }

    /// Writes what is gathered. A reader that has gone away is nobody to complain to.
    mutating func flush() {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                if error != EPIPE { problem = String(cString: strerror(error)) }
                break
            }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// The end of what is written to standard output.
    ///
    /// - Throws: `ExitCode`, after a sentence on standard error, if not all of it could be written.
    mutating func finish() throws {
        flush()
        guard let problem else { return }
        StatusLine.say("tally: cannot write the result: \(problem)")
        throw ExitCode(1)
    }
}
