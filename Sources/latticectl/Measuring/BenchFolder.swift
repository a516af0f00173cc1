import Glibc

/// A temporary folder for sockets.
enum BenchFolder {
    /// Creates a folder, and removes it when the closure returns.
    ///
    /// - Throws: `BenchError` if the folder cannot be created, or any error that `body` throws.
    @MainActor static func with<Result>(
        _ body: @MainActor (_ path: String) async throws -> Result
    ) async throws -> Result {
        let parent = (getenv("PEERS_DIR") ?? getenv("TMPDIR")).map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/latticectl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("cannot create a folder in \"\(parent)\": \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The coordinator has removed its socket by now.
        defer { rmdir(path) }
        return try await body(path)
    }
}
