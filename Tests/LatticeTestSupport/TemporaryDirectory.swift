#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Runs a test with an empty directory that has a short path, and then removes the directory with its contents.
package func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/lattice-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw TemporaryDirectoryError(errno: errno) }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { removeAll(directory) }
    try await body(directory)
}

/// The error of a directory that could not be created.
private struct TemporaryDirectoryError: Error {
    let errno: Int32
}

private func removeAll(_ path: String) {
    if let listing = opendir(path) {
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let child = path + "/" + name
            var found = stat()
            guard lstat(child, &found) == 0 else { continue }
            if found.st_mode & S_IFMT == S_IFDIR { removeAll(child) } else { unlink(child) }
        }
        closedir(listing)
    }
    rmdir(path)
}
