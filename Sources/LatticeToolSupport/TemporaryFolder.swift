import Glibc

/// A temporary folder for sockets.
package enum TemporaryFolder {
    /// The error of a folder that cannot be created.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Creates a folder, and removes it when the closure returns.
    ///
    /// - Throws: `Failure` if the folder cannot be created, or any error that `body` throws.
    @MainActor package static func with<Result>(
        _ body: @MainActor (_ path: String) async throws -> Result
    ) async throws -> Result {
        let parent = (getenv("PEERS_DIR") ?? getenv("TMPDIR")).map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/lattice-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let reason = String(cString: strerror(errno))
            throw Failure(description: "cannot create a folder in \"\(parent)\": \(reason)")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The coordinator has removed its socket by now.
        defer { rmdir(path) }
        return try await body(path)
    }
}
