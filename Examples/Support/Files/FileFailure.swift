import Glibc

/// Why a file or a directory was not read.
package struct FileFailure: Error {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    /// The failure that `errno` tells.
    package static var last: FileFailure { FileFailure(reason: String(cString: strerror(errno))) }
}
