import ExampleSupport
import Glibc

/// What to hash.
struct HashRequest: Codable, Sendable, Equatable {
    /// The path of the directory or file, in the bytes that the file system has.
    var root: [UInt8]
    /// How many hashers there are.
    var workers: Int
    /// A pattern of names or relative paths on which a hasher traps, to try what happens then.
    var crashOn: String?

    /// The way to try what becomes of a file that crashes its hasher.
    func trapIfTold(to path: [UInt8]) {
        precondition(!isToldToTrap(on: path), "told to crash on \(PathText.display(path))")
    }

    func isToldToTrap(on path: [UInt8]) -> Bool {
        guard let crashOn else { return false }
        let name = path.split(separator: FilePath.slash).last.map(Array.init) ?? path
        return [path, name].contains { candidate in
            FilePath.withCString(candidate) { fnmatch(crashOn, $0, 0) == 0 }
        }
    }
}
