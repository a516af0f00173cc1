import Glibc
import LatticeCoordinator

/// Where the terminals that share a list meet.
enum SocketPlace {
    private static let name = "todos.sock"

    /// - Parameter given: A socket, or a folder that has or gets one; nil: the user's own place.
    static func path(_ given: String?) -> String {
        guard let given else { return "\(folder)/\(name)" }
        var status = stat()
        let isFolder = stat(given, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder else { return given }
        return given.hasSuffix("/") ? given + name : "\(given)/\(name)"
    }

    private static var folder: String { Coordinator.runtimeDirectory("todos") }
}
