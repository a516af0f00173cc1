import ExampleSupport
import Glibc

/// The files to hash.
struct HashRequest: Codable, Sendable, Equatable {
    /// The path of the directory or file, in the bytes of the file system.
    var root: [UInt8]
    /// The number of hashers.
    var workers: Int
    /// A pattern of names or relative paths on which a hasher crashes, for demonstrations.
    var crashOn: String?

    /// Crashes the hasher if the request says so for a path.
    func trapIfRequested(for path: [UInt8]) {
        precondition(!isTrapRequested(for: path), "crashed on request on \(PathText.display(path))")
    }

    func isTrapRequested(for path: [UInt8]) -> Bool {
        guard let crashOn else { return false }
        let name = path.split(separator: FilePath.slash).last.map(Array.init) ?? path
        return [path, name].contains { candidate in
            FilePath.withCString(candidate) { fnmatch(crashOn, $0, 0) == 0 }
        }
    }
}
