package import LatticeConcurrency
package import LatticeCore
package import LatticeSession
package import LatticeTransport

/// Starts workers: as processes, or as whatever a test has in their place.
package protocol WorkerLauncher: Sendable {
    /// Runs one worker until nothing of it is left.
    ///
    /// - Parameters:
    ///   - launch: What the worker has to say in its handshake.
    ///   - disguise: What is changed in its program before that is started; nil: nothing.
    ///   - stop: When complete, the worker is to leave; one that does not is ended. Cancelling the calling task ends it
    ///     without waiting for it.
    ///   - onStart: Called once the worker is there.
    /// - Returns: How it ended.
    /// - Throws: When it cannot be started.
    func run(
        _ launch: LaunchVariable,
        disguise: (@Sendable (inout Program) -> Void)?,
        stop: OneShot<Void>,
        onStart: @escaping @Sendable (StartedWorker) -> Void
    ) async throws(TransportError) -> Interruption.Cause
}

/// A worker that is there, and has not said hello yet.
package struct StartedWorker: Sendable {
    package let processID: Int32
    package var connection: any Connection
    /// Sends a signal to the worker and to its process group, unless it has ended.
    package let signal: @Sendable (Int32) -> Void
    /// What it has written to its standard error.
    package var output = OutputTail()
    /// Where it tells whose turn runs; nil: nowhere.
    package var turns: TurnRecord?
}
