import Dispatch
import Glibc
import LatticeToolSupport

/// Control-C while a command waits for something that it can cancel.
enum Interrupt {
    /// Runs a closure in a task that the first SIGINT cancels. The second one ends the program.
    ///
    /// - Parameters:
    ///   - message: What the first one prints.
    ///   - body: The closure.
    static func cancelling<Result: Sendable>(
        saying message: String,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // A source reports the signal, and its default action must not come first.
        signal(SIGINT, SIG_IGN)
        let task = Task { try await body() }
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler {
            signal(SIGINT, SIG_DFL)
            Console.say(message)
            task.cancel()
        }
        source.activate()
        defer {
            source.cancel()
            signal(SIGINT, SIG_DFL)
        }
        return try await task.value
    }
}
