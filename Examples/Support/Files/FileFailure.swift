import Glibc

/// The reason why a file or a directory was not read.
package struct FileFailure: Error {
    /// A sentence that says what went wrong.
    package let reason: String

    /// Creates a failure with a reason.
    package init(reason: String) {
        self.reason = reason
    }

    /// The failure that `errno` describes.
    package static var last: FileFailure { FileFailure(reason: String(cString: strerror(errno))) }
}
