import Glibc

/// A new folder for sockets, removed when the closure returns.
enum BenchFolder {
    /// - Throws: `BenchError` if there is no place for one, or what `body` throws.
    @MainActor static func with<Result>(
        _ body: @MainActor (_ path: String) async throws -> Result
    ) async throws -> Result {
        let parent = (getenv("PEERS_DIR") ?? getenv("TMPDIR")).map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/latticectl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchError("cannot make a folder in \"\(parent)\": \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The coordinator has removed its socket by then.
        defer { rmdir(path) }
        return try await body(path)
    }
}
