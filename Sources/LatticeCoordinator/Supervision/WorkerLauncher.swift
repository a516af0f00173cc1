import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport

/// Starts workers: as processes, or as whatever a test has in their place.
protocol WorkerLauncher: Sendable {
    /// Runs one worker until nothing of it is left.
    ///
    /// - Parameters:
    ///   - launch: What the worker has to say in its handshake.
    ///   - stop: When complete, the worker is to leave; one that does not is ended. Cancelling the calling task ends it
    ///     without waiting for it.
    ///   - onStart: Called once the worker is there, with its process identifier and the connection to it.
    /// - Returns: How it ended.
    /// - Throws: When it cannot be started.
    func run(
        _ launch: LaunchVariable,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (Int32, any Connection) -> Void
    ) async throws(TransportError) -> Interruption.Cause
}
