/// Waits until a condition holds that sends no notification.
///
/// The condition is checked every 2 ms. The pauses leave the threads to the code that the test waits for. There is no
/// timeout, because the time limit of the test ends the wait.
package func poll(
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
