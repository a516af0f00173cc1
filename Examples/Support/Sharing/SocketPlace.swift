import Glibc
import LatticeCoordinator

/// Where the terminals that share a feature meet.
package enum SocketPlace {
    /// - Parameters:
    ///   - given: A socket, or a folder that has or gets one; nil: the user's own place.
    ///   - name: Of the socket in a folder.
    ///   - program: Whose place of this user it is.
    /// - Throws: ``ProgramError`` if there is no such place.
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
