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
        let task = Task { try await body() }
        // A SIGINT before this function returns ends the program, like one before the command began.
        let sources = SignalSources.begin([SIGINT], on: .global()) { number in
            signal(number, SIG_DFL)
            Console.say(message)
            task.cancel()
        }
        defer {
            for source in sources { source.cancel() }
            signal(SIGINT, SIG_DFL)
        }
        return try await task.value
    }
}
