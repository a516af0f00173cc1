import ExampleSupport
import Glibc
import LatticeCoordinator

/// Where the terminals that share a list meet.
enum SocketPlace {
    private static let name = "todos.sock"

    /// - Parameter given: A socket, or a folder that has or gets one; nil: the user's own place.
    /// - Throws: ``ProgramError`` if there is no such place.
    static func path(_ given: String?) throws -> String {
        guard let given else { return "\(try folder())/\(name)" }
        var status = stat()
        let isFolder = stat(given, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder else { return given }
        return given.hasSuffix("/") ? given + name : "\(given)/\(name)"
    }

    private static func folder() throws -> String {
        do {
            return try Coordinator.runtimeDirectory("todos")
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }
}
