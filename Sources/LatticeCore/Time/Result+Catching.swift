extension Result where Failure == any Error {
    /// What `work` returns or throws.
    static func catching(_ work: () async throws -> Success) async -> Self {
        do {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
