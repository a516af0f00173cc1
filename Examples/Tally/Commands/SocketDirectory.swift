import ExampleSupport
import Glibc
import LatticeCoordinator

/// Where the sockets of this user's tallies are.
enum SocketDirectory {
    private static let suffix = ".sock"

    /// - Throws: ``ProgramError`` if there is no place for them.
    static func path() throws -> String {
        do {
            return try Coordinator.runtimeDirectory("tally")
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }

    /// A path that no other running tally has.
    static func own() throws -> String { "\(try path())/\(getpid())\(suffix)" }

    /// The sockets, newest first. Some may be left over from tallies that were killed.
    static func newestFirst() throws -> [String] {
        let path = try path()
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var found: [(path: String, time: Double)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasSuffix(suffix) else { continue }
            let socket = "\(path)/\(name)"
            var status = stat()
            guard lstat(socket, &status) == 0 else { continue }
            let time = status.st_mtim
            found.append((socket, Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9))
        }
        return found.sorted { $0.time > $1.time }.map(\.path)
    }
}
