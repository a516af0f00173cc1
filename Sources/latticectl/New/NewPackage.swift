import Glibc

/// Writes the files of a new package.
enum NewPackage {
    /// Writes files into a new folder.
    ///
    /// - Throws: `ControlFailure` if the folder exists, or if something cannot be written.
    static func write(_ files: [(path: String, text: String)], to folder: String) throws {
        // Creating the folder is the check, so that no other program can create it in between.
        guard mkdir(folder, 0o777) == 0 else {
            guard errno == EEXIST else { throw failure(folder, of: folder, isBegun: false) }
            throw ControlFailure(
                "\"\(folder)\" exists already, and nothing was written. Choose another name, or remove it.",
                code: 3
            )
        }
        for file in files {
            let path = "\(folder)/\(file.path)"
            var parent = folder
            for part in file.path.split(separator: "/").dropLast() {
                parent += "/\(part)"
                guard mkdir(parent, 0o777) == 0 || errno == EEXIST else {
                    throw failure(parent, of: folder, isBegun: true)
                }
            }
            guard write(Array(file.text.utf8), to: path) else { throw failure(path, of: folder, isBegun: true) }
        }
    }

    /// Returns whether all was written. Otherwise `errno` says why not.
    private static func write(_ bytes: [UInt8], to path: String) -> Bool {
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
        guard file >= 0 else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let reason = errno
                close(file)
                errno = reason
                return false
            }
            rest = rest.dropFirst(count)
        }
        return close(file) == 0
    }

    private static func failure(_ path: String, of folder: String, isBegun: Bool) -> ControlFailure {
        let reason = String(cString: strerror(errno))
        let advice = isBegun ? "Remove \"\(folder)\", and try again." : "Check the present folder, and try again."
        return ControlFailure("\"\(path)\" cannot be written: \(reason). \(advice)", code: 1)
    }
}
