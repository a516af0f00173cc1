import Glibc
import Synchronization

/// Writes whole pieces to standard output and standard error.
enum Output {
    private static let failure = Atomic<Int32>(0)

    /// Why not everything that was meant for standard output got there; nil if it did, or if nobody reads it any more.
    static var problem: String? {
        let error = failure.load(ordering: .relaxed)
        return error == 0 ? nil : "cannot write the list: \(String(cString: strerror(error)))"
    }

    /// A reader that goes away must not end a program that keeps the list for others: writing just fails from then on.
    /// A handler, as what is ignored would stay ignored in the worker.
    static func survivePipes() { signal(SIGPIPE) { _ in } }

    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// A message beside the output.
    static func say(_ text: String) { write(text + "\n", to: STDERR_FILENO) }

    /// A reader that has gone away is nobody to complain to.
    static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                let error = errno
                if error == EINTR { continue }
                if descriptor == STDOUT_FILENO, error != EPIPE { failure.store(error, ordering: .relaxed) }
                break
            }
            rest = rest.dropFirst(count)
        }
    }
}
