import Glibc

/// Standard output and error, a line at a time.
enum Console {
    /// A line for people, on standard error.
    static func say(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// A line of the result. Written at once, so that a reader of a pipe sees it as soon as it is there.
    static func put(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    private static func write(_ line: String, to descriptor: Int32) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads any more: nothing is left to be done.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
