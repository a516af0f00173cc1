import Glibc
import LatticeCoordinator

/// The socket at which the terminals that share a feature meet.
package enum SocketPlace {
    /// Returns the path of the socket.
    ///
    /// - Parameters:
    ///   - given: A socket, or a folder for it, or nil for a folder of the user.
    ///   - name: The name of the socket in a folder.
    ///   - program: The program whose folder of this user is used.
    /// - Throws: ``ProgramError`` if there is no such folder.
    package static func path(_ given: String?, name: String, of program: String) throws -> String {
        guard let given else { return "\(try folder(of: program))/\(name)" }
        var status = stat()
        let isFolder = stat(given, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        guard isFolder else { return given }
        return given.hasSuffix("/") ? given + name : "\(given)/\(name)"
    }

    private static func folder(of program: String) throws -> String {
        do {
            return try Coordinator.runtimeDirectory(program)
        } catch let error as CoordinatorError {
            throw ProgramError(error.message)
        }
    }
}
