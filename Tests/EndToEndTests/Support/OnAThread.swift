import Foundation

/// Does what waits on a thread of its own.
///
/// A program that another test starts at this moment may inherit the end of a pipe, so that waiting for the end of a
/// program is waiting for another test, too: that must not take one of the few threads that all tests share.
@concurrent func onAThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { done in
        Thread.detachNewThread { done.resume(with: Swift.Result { try body() }) }
    }
}
