extension Result where Failure == any Error {
    /// Returns the result of `work`: the returned value, or the thrown error.
    static func catching(_ work: () async throws -> Success) async -> Self {
        do {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}
