/// Returns when a condition holds of which nobody tells: it is asked for again and again, with pauses, so that what it
/// waits for has the threads. What waits is ended by the time limit of its test.
package func poll(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
