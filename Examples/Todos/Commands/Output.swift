import Glibc

/// Writes whole pieces to standard output and standard error.
enum Output {
    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// A message beside the output.
    static func say(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// A reader that has gone away is nobody to complain to.
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                break
            }
            rest = rest.dropFirst(count)
        }
    }
}
