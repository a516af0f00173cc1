import Glibc
import LatticeCoordinator

/// The directory with the sockets of a user's jobs.
package struct SocketDirectory {
    private static let suffix = ".sock"

    /// The path of the directory.
    package let path: String

    /// Finds or creates the directory.
    ///
    /// - Throws: ``ProgramError`` if there is no place for it.
    package init(of program: String) throws {
        do {
            path = try Coordinator.runtimeDirectory(program)
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }

    /// A path that no other running job uses.
    package var own: String { "\(path)/\(getpid())\(Self.suffix)" }

    /// Returns the sockets, newest first. Some may be left from jobs that were killed.
    package func newestFirst() -> [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var found: [(path: String, time: Double)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(Self.suffix) else { continue }
            let socket = "\(path)/\(name)"
            var status = stat()
            guard lstat(socket, &status) == 0 else { continue }
            let time = status.st_mtim
            found.append((socket, Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9))
        }
        return found.sorted { $0.time > $1.time }.map(\.path)
    }
}
